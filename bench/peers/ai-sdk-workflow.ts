// The agents of bench/longhaul-process.mts, as the AI SDK has them on Temporal.
import { temporalProvider } from '@temporalio/ai-sdk/workflow';
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';

const { readPage } = proxyActivities<{ readPage(input: { page: number }): Promise<string> }>({
  startToCloseTimeout: '1 minute',
});
const system = 'You read every page, one at a time.';

export async function reader(turns: number): Promise<string> {
  const { text } = await generateText({
    model: temporalProvider.languageModel('reader'),
    system,
    prompt: String(turns),
    tools: {
      read_page: tool({
        description: 'Reads a page.',
        inputSchema: jsonSchema<{ page: number }>({
          type: 'object',
          properties: { page: { type: 'number' } },
          required: ['page'],
        }),
        execute: readPage,
      }),
    },
    stopWhen: isStepCount(turns + 1),
  });
  return text;
}

const answerSignal = defineSignal('answer');

/** A model call, then a wait. */
export async function asker(): Promise<void> {
  let isAnswered = false;
  setHandler(answerSignal, () => {
    isAnswered = true;
  });
  await generateText({ model: temporalProvider.languageModel('asker'), system, prompt: '1' });
  await condition(() => isAnswered);
}
