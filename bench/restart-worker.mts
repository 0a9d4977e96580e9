// A worker of bench/restart.mts, a process of its own: it tells what it cost when asked, and ends when asked, or is killed.
import { defineAgent, defineTool } from 'longhaul';
import { createWorker, type ModelProvider } from 'longhaul/worker';
import './quiet-runtime.mts';

const [, , address = '', taskQueue = '', turns = '', overrides = '{}'] = process.argv;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: {} },
  execute: () => 'seen',
});
const asker = defineAgent({
  id: 'asker',
  model: 'double/asker',
  instructions: 'You look often, then you ask.',
  tools: [look],
  askUser: 'tool',
  maxIterations: 10_000,
});

/** Looks in all turns but the last, in which it asks, and asks again whenever it was answered. */
const double: ModelProvider = {
  name: 'double',
  call: ({ model, messages }) => {
    const turn = messages.filter(({ role }) => role === 'assistant').length + 1;
    const call = { type: 'tool_call', callId: `call-${turn}` } as const;
    const asks = { ...call, name: 'ask_user', args: { question: 'Go on?' } };
    const looks = { ...call, name: 'look', args: {} };
    return Promise.resolve({
      content: [turn < Number(turns) ? looks : asks],
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 15,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      },
      finishReason: 'tool_calls',
      origin: { provider: 'double', api: 'double', model },
    });
  },
};

const worker = await createWorker({
  address,
  taskQueue,
  runners: [asker],
  providers: { double },
  workerOptions: JSON.parse(overrides) as object,
});
process.on('message', (message) => {
  if (message === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1_000);
  } else worker.shutdown();
});
const ended = worker.run();
process.send?.('running');
await ended;
process.exit();
