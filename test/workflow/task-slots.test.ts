// Model calls that wait, on a worker with few slots on the dev server: tools run beside them.

import { defineAgent, defineTool } from '../../src';
import { activitySlots, taskSlots } from '../../src/worker/task-slots';
import type { ModelProvider, ModelResponse } from '../../src/worker';
import type { TunerHolder } from '@temporalio/worker';
import { openHarness, type Harness } from './harness';

const otherSlots = 2;
const waitingCalls = 3 * otherSlots;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: {} },
  execute: () => 'seen',
});
const thinker = defineAgent({ id: 'thinker', model: 'double/thinker' });
const looker = defineAgent({ id: 'looker', model: 'double/looker', tools: [look] });

function answer(model: string, content: ModelResponse['content'][number]): ModelResponse {
  return {
    content: [content],
    usage: {
      inputTokens: 1,
      outputTokens: 1,
      totalTokens: 2,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    },
    finishReason: content.type === 'tool_call' ? 'tool_calls' : 'stop',
    origin: { provider: 'double', api: 'double', model },
  };
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('model calls that wait', () => {
  let harness: Harness;
  const allWait = gate();
  const told = gate();
  let waiting = 0;
  const double: ModelProvider = {
    name: 'double',
    call: async ({ model, messages }) => {
      if (model === 'looker' && messages.length === 1)
        return answer(model, { type: 'tool_call', callId: 'call-1', name: 'look', args: {} });
      if (model === 'thinker') {
        waiting += 1;
        if (waiting === waitingCalls) allWait.open();
        await told.opened;
      }
      return answer(model, { type: 'text', text: `I am a ${model}.` });
    },
  };

  beforeAll(async () => {
    harness = await openHarness();
    const { tuner } = taskSlots({ taskQueue: harness.taskQueue });
    const activityTaskSlotSupplier = activitySlots(100, otherSlots);
    await harness.worker({
      runners: [thinker, looker],
      providers: { double },
      workerOptions: { tuner: { ...(tuner as TunerHolder), activityTaskSlotSupplier } },
    });
  });
  afterAll(() => harness.close());

  it('take no slots from tools', async () => {
    const thinking = await Promise.all(
      Array.from({ length: waitingCalls }, () => harness.longhaul.start('thinker', 'Think.')),
    );
    await allWait.opened;
    const looking = await harness.longhaul.start('looker', 'Look.');
    expect(await looking.result()).toMatchObject({ finalResponse: { text: 'I am a looker.' } });
    told.open();
    const texts = await Promise.all(
      thinking.map(async (run) => (await run.result()).finalResponse?.text),
    );
    expect(texts).toEqual(texts.map(() => 'I am a thinker.'));
  });
});
