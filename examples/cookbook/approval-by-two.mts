// A refund that two people of the finance department approve. Neither of them is who asked for it, and it is paid once.
import { defineAgent, defineTool } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { scriptedModel } from 'longhaul/testing';
import type { CreateWorkerOptions } from 'longhaul/worker';
import { z } from 'zod';

export const paid: object[] = [];

const refund = defineTool({
  name: 'refund',
  description: 'Pays money of an order back',
  inputSchema: z.object({ order: z.string(), euros: z.number() }),
  effect: 'once', // at most once, also after a crash
  needsApproval: {
    by: { roles: ['finance'], approvals: 2, not: ['requester'] },
    show: ({ order, euros }) => `Pay ${euros} euros of order ${order} back.`,
  },
  execute: ({ order, euros }, { idempotencyKey }) => {
    paid.push({ order, euros, idempotencyKey });
    return { order, paid: euros };
  },
});

const support = defineAgent({ id: 'support', model: 'openai/gpt-6.1-terra', tools: [refund] });

const model = scriptedModel([
  { toolCalls: [{ name: 'refund', args: { order: '1042', euros: 480 } }] },
  'The 480 euros are on their way.',
]);

export default {
  runners: [support],
  providers: { openai: model },
} satisfies CreateWorkerOptions;

// Who acts is what your backend says after its login.
const mia = { id: 'mia', roles: ['finance'] };
const ada = { id: 'ada', roles: ['finance'] };
const bob = { id: 'bob', roles: ['finance'] };

export async function main(longhaul: Longhaul) {
  const run = await longhaul.start(support, 'Order 1042 came broken', { by: mia });
  const asked = await run.outcome();
  if (asked.kind !== 'needs-input') throw new Error('Nobody was asked.');
  const { inputId, question, digest: seen = '' } = asked;

  const refused = await run.approve(inputId, { by: mia, seen }).catch(String); // mia asked for it
  const { missing } = await run.approve(inputId, { by: ada, seen }); // 1
  await run.approve(inputId, { by: bob, seen });

  const { finalResponse } = await run.result();
  return { run: run.workflowId, question, refused, missing, answer: finalResponse.text };
}
