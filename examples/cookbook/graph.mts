// A graph: tasks run as soon as those they depend on are done, and a prompt takes what it needs of their results.
import { defineAgent, graph } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { scriptedModel } from 'longhaul/testing';
import type { CreateWorkerOptions } from 'longhaul/worker';
import { z } from 'zod';

const model = 'openai/gpt-6.1-terra';
const researcher = defineAgent({
  id: 'researcher',
  model,
  instructions: 'Answer in one sentence.',
});
const estimator = defineAgent({
  id: 'estimator',
  model,
  instructions: 'Estimate the cost.',
  output: { schema: z.object({ euros: z.number() }) },
});
const editor = defineAgent({ id: 'editor', model, instructions: 'Advise, from what was found.' });

const decision = graph({
  id: 'decision',
  tasks: [
    { id: 'benefits', runner: researcher, prompt: 'What speaks for this: ${input}' },
    { id: 'cost', runner: estimator, prompt: 'What does this cost: ${input}', maxRetries: 2 },
    {
      id: 'advice',
      runner: editor,
      dependencies: ['benefits', 'cost'],
      prompt: '${input} For it: ${benefits.output} Euros: ${cost.structured.euros}',
    },
  ],
});

// One step for each task; who is asked is in the prompt.
const script = scriptedModel(
  [
    ({ messages }) => {
      const prompt = JSON.stringify(messages.at(-1)?.parts);
      if (prompt.includes('speaks for')) return 'Quieter streets.';
      if (prompt.includes('cost')) return '{"euros":900000}';
      return prompt.includes('Quieter streets. Euros: 900000') ? 'Do it.' : 'I cannot tell.';
    },
  ],
  { per: 'conversation' },
);

export default { runners: [decision], providers: { openai: script } } satisfies CreateWorkerOptions;

export async function main(longhaul: Longhaul) {
  const run = await longhaul.start(decision, 'Electric buses for our town?');
  const { finalResponse } = await run.result();
  const { children } = await run.tree(); // each task is a run of its own
  return { answer: finalResponse.text, tasks: children.map(({ path, status }) => [path, status]) };
}
