import { defineTool, type Tool, LonghaulError } from 'longhaul';
import { z } from 'zod';
import { findOrder, type Ledger } from './shop.mts';

/** In euros: what goes through without a person. */
export const freeAmount = 50;

const orderId = z.string().describe('The number of the order.');

export function refundTools(ledger: Ledger): readonly Tool[] {
  return [lookUpOrder, refund(ledger)];
}

const lookUpOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order: what was bought, what was paid for it in euros, its state.',
  effect: 'read',
  inputSchema: z.object({ orderId }),
  execute: async ({ orderId }) => await findOrder(orderId),
});

function refund(ledger: Ledger) {
  return defineTool({
    name: 'refund',
    description: 'Refunds an amount of euros of an order.',
    // Never a blind second run: if nobody knows whether it took effect, the model is told so.
    effect: 'once',
    needsApproval: ({ amount }) => amount > freeAmount,
    inputSchema: z.object({ orderId, amount: z.number().positive() }),
    execute: async ({ orderId, amount }, { workflowId, idempotencyKey }) => {
      const { paid } = await findOrder(orderId);
      if (amount > paid)
        throw new LonghaulError('ToolError', `Only ${paid} euros were paid for order ${orderId}.`);
      await ledger.add({ orderId, amount, workflowId, idempotencyKey });
      return { orderId, refunded: amount };
    },
  });
}
