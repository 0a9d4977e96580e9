// A budget that asks: a run that has used up its tokens waits for a person who adds some, or stops it.
import { defineAgent, defineTool } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { scriptedModel } from 'longhaul/testing';
import type { CreateWorkerOptions } from 'longhaul/worker';
import { z } from 'zod';

const readOffer = defineTool({
  name: 'read_offer',
  description: 'Reads an offer',
  inputSchema: z.object({ supplier: z.string() }),
  effect: 'read',
  execute: ({ supplier }) => ({ supplier, euros: supplier === 'Northwind' ? 940 : 1020 }),
});

const analyst = defineAgent({
  id: 'analyst',
  model: 'openai/gpt-6.1-terra',
  tools: [readOffer],
  budget: { maxTokens: 100_000, maxCostUsd: 0.5 }, // of each run, with all runs below it
});

const model = scriptedModel([
  {
    toolCalls: [
      { name: 'read_offer', args: { supplier: 'Northwind' } },
      { name: 'read_offer', args: { supplier: 'Contoso' } },
    ],
    usage: { inputTokens: 900, outputTokens: 100, totalTokens: 1_000 },
  },
  'Northwind is cheaper, by 80 euros.',
]);

export default {
  runners: [analyst],
  providers: { openai: model },
  prices: { 'openai/gpt-6.1-terra': { input: 1, output: 5 } }, // dollars per million tokens
} satisfies CreateWorkerOptions;

export async function main(longhaul: Longhaul) {
  const budget = { maxTokens: 800 }; // of this run; the smallest counts
  const run = await longhaul.start(analyst, 'Compare the offers.', { budget });
  const asked = await run.outcome();
  if (asked.kind !== 'needs-input') throw new Error('The budget was enough.');
  const { inputId, question } = asked;
  await run.resume(5_000, { inputId, by: { id: 'ada' } }); // or 'stop'

  const { finalResponse, usage, costUsd } = await run.result();
  return { question, answer: finalResponse.text, tokens: usage.totalTokens, costUsd };
}
