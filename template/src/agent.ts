import { appendFile } from 'node:fs/promises';
import { defineAgent, defineTool } from 'longhaul';
import { z } from 'zod';

const refund = defineTool({
  name: 'refund',
  description: 'Pays money of an order back',
  inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
  effect: 'once', // at most once, also after a crash
  needsApproval: true,
  execute: async ({ order, euros }, { idempotencyKey }) => {
    // Call your bank here, and give it the key. Until then the payment is a line in a file.
    await appendFile('ledger.txt', `${order} ${euros} ${idempotencyKey}\n`);
    return `${euros} euros of order ${order} are paid back.`;
  },
});

export const support = defineAgent({
  id: 'support',
  model: 'openai/gpt-6.1-terra',
  instructions: 'Help customers of a shop. Pay back what they ask for, if they name the order.',
  tools: [refund],
});
