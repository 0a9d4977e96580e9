import { defineAgent, type Agent } from 'longhaul';
import { Ledger } from './shop.mts';
import { refundTools } from './tools.mts';

export type RefundAgentOptions = {
  /** `'provider/model'`. */
  readonly model: string;
  /** The file that refunds are written to. */
  readonly ledger: string;
};

/** An agent that handles refund requests. It may refund small amounts; a person decides about the others. */
export function refundAgent({ model, ledger }: RefundAgentOptions): Agent {
  return defineAgent({
    id: 'refunds',
    description: 'Handles refund requests',
    model,
    instructions: [
      'You handle refund requests of a shop. Look up every order the customer names before you decide.',
      'Refund what the customer asks for if the order is delivered and was not cheaper than that: all refunds in one turn.',
      'A person of the shop may change or reject a refund; that is final. Never ask for the same one again.',
      'Then tell the customer in one or two sentences what was refunded, and what was not.',
    ].join(' '),
    tools: refundTools(new Ledger(ledger)),
    inputTimeout: '7 days',
    maxIterations: 6,
  });
}
