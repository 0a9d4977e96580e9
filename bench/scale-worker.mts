// A worker of bench/scale.mts, a process of its own: it tells its CPU and memory when asked, and ends when asked.
import { defineAgent } from 'longhaul';
import { createWorker, type ModelProvider } from 'longhaul/worker';
import './quiet-runtime.mts';

const [, , address = '', taskQueue = '', overrides = '{}'] = process.argv;

export type Load = { readonly cpuMs: number; readonly rssBytes: number };

const instructions = 'You help people, one step at a time. '.repeat(20);
const asker = defineAgent({
  id: 'asker',
  model: 'double/asker',
  instructions,
  askUser: 'tool',
  maxIterations: 10_000,
});
const speaker = defineAgent({ id: 'speaker', model: 'double/speaker', instructions });

/** The asker asks, and asks again whenever it was answered. */
const double: ModelProvider = {
  name: 'double',
  call: ({ model, messages }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length + 1;
    const call = { type: 'tool_call', callId: `call-${turn}`, name: 'ask_user' } as const;
    const isAsker = model === 'asker';
    return Promise.resolve({
      content: [
        isAsker ? { ...call, args: { question: 'Go on?' } } : { type: 'text', text: 'Well said.' },
      ],
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      },
      finishReason: isAsker ? 'tool_calls' : 'stop',
      origin: { provider: 'double', api: 'double', model },
    });
  },
};

const worker = await createWorker({
  address,
  taskQueue,
  runners: [asker, speaker],
  providers: { double },
  workerOptions: JSON.parse(overrides) as object,
});
process.on('message', (message) => {
  if (message === 'look') {
    const { user, system } = process.cpuUsage();
    const load = { cpuMs: (user + system) / 1_000, rssBytes: process.memoryUsage.rss() };
    process.send?.(load satisfies Load);
  } else worker.shutdown();
});
process.on('disconnect', () => process.exit());
const ended = worker.run();
process.send?.('running');
await ended;
process.exit();
