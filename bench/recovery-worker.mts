// A worker of bench/recovery.mts, a process of its own. It tells when an attempt of a call begins, and ends with its parent.
// What a run is asked says what happens: `hold` (a model call and a tool that end only in a worker that does not hold), `wait` (a
// model call of some seconds) or `block` (a tool that blocks the event loop).
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent, defineTool } from 'longhaul';
import { createWorker, type ModelProvider } from 'longhaul/worker';
import './quiet-runtime.mts';

export type Attempt = { readonly run: string; readonly step: string; readonly at: number };

const [, , address = '', taskQueue = '', holds = 'no', blockMs = '0', waitMs = '0'] = process.argv;
process.once('disconnect', () => process.exit());

const tell = (run: string, step: string): void => {
  process.send?.({ run, step, at: Date.now() } satisfies Attempt);
};

async function holdOn(signal: AbortSignal): Promise<void> {
  if (holds === 'yes') await delay(120_000, undefined, { signal });
}

const hold = defineTool({
  name: 'hold',
  description: 'Holds.',
  inputSchema: { type: 'object', properties: {} },
  execute: async (_args, { workflowId, signal }) => {
    tell(workflowId, 'tool');
    await holdOn(signal);
    return 'held';
  },
});
const block = defineTool({
  name: 'block',
  description: 'Blocks the event loop.',
  inputSchema: { type: 'object', properties: {} },
  execute: (_args, { workflowId }) => {
    tell(workflowId, 'tool');
    const until = performance.now() + Number(blockMs);
    while (performance.now() < until);
    return 'blocked';
  },
});
const agents = ['hold-model', 'hold-tool', 'wait', 'block'].map((id) =>
  defineAgent({ id, model: `double/${id}`, instructions: 'You do.', tools: [hold, block] }),
);

const double: ModelProvider = {
  name: 'double',
  call: async ({ model, messages, cacheKey = '' }, { signal }) => {
    const isFirst = messages.length === 1;
    const run = cacheKey;
    if (isFirst) tell(run, 'model');
    if (model === 'hold-model') await holdOn(signal);
    if (model === 'wait') await delay(Number(waitMs), undefined, { signal });
    const calls = isFirst && (model === 'hold-tool' || model === 'block');
    const name = model === 'block' ? 'block' : 'hold';
    return {
      content: [
        calls
          ? { type: 'tool_call', callId: 'call', name, args: {} }
          : { type: 'text', text: 'Done.' },
      ],
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      },
      finishReason: calls ? 'tool_calls' : 'stop',
      origin: { provider: 'double', api: 'double', model },
    };
  },
};

const worker = await createWorker({
  address,
  taskQueue,
  runners: agents,
  providers: { double },
});
const ended = worker.run();
process.send?.('running');
await ended;
