import { defineAgent, defineTool } from 'longhaul';
import { z } from 'zod';

const findOrder = defineTool({
  name: 'find_order',
  description: 'Where an order is',
  effect: 'read',
  inputSchema: z.object({ orderId: z.string().describe('The number of the order') }),
  // Your code: a query of your database, or a call of your service.
  execute: ({ orderId }) => `Order ${orderId} was shipped on Monday.`,
});

export const support = defineAgent({
  id: 'support',
  // A script, see model.ts. For a real model: `npm install openai`, and 'openai/gpt-6.1-terra' here.
  model: 'offline/script',
  instructions: 'Say where an order is. Ask for its number if you do not have it.',
  tools: [findOrder],
  askUser: 'tool',
});
