import { defineAgent, type Agent } from 'longhaul';
import { paymentTools, type PaymentTools } from './tools.mts';

/** An agent that pays invoices. People of the finance department decide about the large ones. */
export function paymentAgent({
  model,
  ...tools
}: PaymentTools & { readonly model: string }): Agent {
  return defineAgent({
    id: 'payments',
    description: 'Pays invoices',
    model,
    instructions: [
      'You pay invoices. Find the invoice first. Then check the account and have the cost centre picked, both in one turn.',
      'If the account is not of the supplier, do not pay. Otherwise pay the amount of the invoice.',
      'A person may change or reject a payment; that is final.',
      'Then say in one or two sentences what was paid.',
    ].join(' '),
    tools: paymentTools(tools),
    maxIterations: 6,
  });
}
