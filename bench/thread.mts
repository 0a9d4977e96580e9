// What a thread of 1,000 turns costs: history, time and memory, with all turns or the last 20 given to the model.
// Usage, after `npm run build`: node bench/thread.mts [turns]
import { randomUUID } from 'node:crypto';
import { defineAgent, type AgentOptions } from 'longhaul';
import { connect, type Longhaul, type ThreadHandle } from 'longhaul/client';
import { scriptedModel, startDevServer } from 'longhaul/testing';
import { createWorker, type ModelProvider } from 'longhaul/worker';

const count = Number(process.argv[2] ?? 1_000);
const question = 'What is the weather like there, and shall I take an umbrella with me? '.repeat(3);
const answer = 'It is sunny with some wind from the west; an umbrella is not needed today. '.repeat(
  4,
);
/** Turns around a place, to take the median of. */
const around = 10;

const server = await startDevServer({ headless: true });
const taskQueue = `bench-${randomUUID()}`;
const longhaul = await connect({ address: server.address, taskQueue });
const given: { messages: number } = { messages: 0 };
const provider: ModelProvider = {
  name: 'scripted',
  call: (request, options) => {
    given.messages = request.messages.length;
    return scriptedModel([answer]).call(request, options);
  },
};
const kinds: Readonly<Record<string, NonNullable<AgentOptions['memory']>>> = {
  full: { kind: 'full' },
  'last 20': { kind: 'windowed', turns: 20 },
};
const agents = Object.entries(kinds).map(([, memory], index) =>
  defineAgent({ id: `bench-${index}`, model: 'scripted/one', memory }),
);
const worker = await createWorker({
  address: server.address,
  taskQueue,
  runners: agents,
  providers: { scripted: provider },
});
const running = worker.run();
const rows = [];
for (const [index, name] of Object.keys(kinds).entries()) {
  rows.push({ memory: name, ...(await measure(agents[index]?.id ?? '')) });
}
console.table(rows);
worker.shutdown();
await running;
await longhaul.close();
await server.stop();

async function measure(agent: string) {
  const thread = longhaul.thread({ agent, sessionId: randomUUID() });
  await take(thread, 5);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const times = await take(thread, count - 5);
  const grown = process.memoryUsage().rss - before;
  const last = (await thread.turns({ last: 1 }))[0]?.workflowId ?? '';
  const { bytes, executions } = await historyOf(longhaul, thread.threadId);
  return {
    'ms at turn 10': medianAt(times, 10 - 5),
    [`ms at turn ${count}`]: medianAt(times, times.length),
    'messages in the last request': given.messages,
    'thread history, kB': Math.round(bytes / 1_000),
    executions,
    'kB a turn': (bytes / 1_000 / count).toFixed(1),
    'last run, kB': ((await historyOf(longhaul, last)).bytes / 1_000).toFixed(1),
    'RSS grown, MB': Math.round(grown / 1_000_000),
  };
}

/** From the message to its answer, each time. */
async function take(thread: ThreadHandle, turns: number): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const start = performance.now();
    await (await thread.send(question)).result();
    times.push(performance.now() - start);
  }
  return times;
}

function medianAt(times: readonly number[], place: number): string {
  const start = Math.max(0, Math.min(place - around / 2, times.length - around));
  const sorted = times.slice(start, start + around).sort((left, right) => left - right);
  return (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(0);
}

type HistoryPage = Awaited<
  ReturnType<Longhaul['client']['workflowService']['getWorkflowExecutionHistory']>
>;

/** Of all executions under the id, as the server counts. */
async function historyOf(
  { client }: Longhaul,
  workflowId: string,
): Promise<{ bytes: number; executions: number }> {
  let [bytes, executions] = [0, 0];
  const handle = client.workflow.getHandle(workflowId);
  let runId: string | undefined = (await handle.describe()).runId;
  while (runId) {
    const execution = client.workflow.getHandle(workflowId, runId);
    bytes += Number((await execution.describe()).historySize ?? 0);
    executions += 1;
    const page: HistoryPage = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    runId =
      page.history?.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ??
      undefined;
  }
  return { bytes, executions };
}
