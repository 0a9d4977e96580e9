// A result with a type: the answer is JSON that matches a schema, and TypeScript knows it.
import { defineAgent } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { scriptedModel } from 'longhaul/testing';
import type { CreateWorkerOptions } from 'longhaul/worker';
import { z } from 'zod';

const ticket = z.object({
  queue: z.enum(['billing', 'bug', 'other']),
  urgent: z.boolean(),
  summary: z.string().max(80),
});

const triage = defineAgent({
  id: 'triage',
  model: 'openai/gpt-6.1-terra',
  instructions: 'Classify the ticket.',
  output: { schema: ticket },
});

// The first answer does not match: the model reads why, and answers again.
const model = scriptedModel([
  '{"queue":"payments","urgent":true,"summary":"Paid twice"}',
  '{"queue":"billing","urgent":true,"summary":"Paid twice"}',
]);

export default { runners: [triage], providers: { openai: model } } satisfies CreateWorkerOptions;

export async function main(longhaul: Longhaul) {
  // The agent itself, not its id: so the result has the type of the schema.
  const run = await longhaul.start(triage, 'I was charged twice, and I need the money today.');
  const { finalResponse } = await run.result();
  const { structured } = finalResponse;
  if (structured === undefined) throw new Error('The agent has other ways to end.');
  return { queue: structured.queue, isForToday: structured.urgent };
}
