// What `longhaul worker --agents` serves: the agents of the service, and the stores of their worker.
import { defineAgent, defineTool } from 'longhaul';
import { PostgresStores } from 'longhaul/stores';
import type { CreateWorkerOptions } from 'longhaul/worker';
import { deltas, results } from './data.mts';

/** Once: if nobody knows whether the money has moved, a person is asked. */
const refund = defineTool<{ order: string; euros: number }>({
  name: 'refund',
  description: 'Gives the money of an order back.',
  effect: 'once',
  needsApproval: { by: { roles: ['support-lead'], not: ['requester'] } },
  inputSchema: {
    type: 'object',
    properties: {
      order: { type: 'string', description: 'The id of the order.' },
      euros: { type: 'number', exclusiveMinimum: 0 },
    },
    required: ['order', 'euros'],
    additionalProperties: false,
  },
  // Put your payments here. The key is the same at each attempt.
  execute: ({ order, euros }, { idempotencyKey }) => ({ refunded: order, euros, idempotencyKey }),
});

const support = defineAgent({
  id: 'support',
  description: 'Answers customers, and gives money back',
  model: process.env['SUPPORT_MODEL'] || 'openai/gpt-6.1-terra',
  instructions: 'You help the customers of a shop. Refund an order only when the customer asks.',
  tools: [refund],
  askUser: 'tool',
  memory: { kind: 'full', store: 'default' },
  budget: { maxCostUsd: 1, onExceeded: 'ask' },
});

export default {
  runners: [support],
  stores: new PostgresStores(),
  deltas,
  results,
} satisfies CreateWorkerOptions;
