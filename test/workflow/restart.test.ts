// A restart with many long runs: a worker with an empty cache serves them all, and throws no replay away.

import { availableParallelism } from 'node:os';
import { defineAgent, defineTool } from '../../src';
import { limits } from '../../src/protocol/limits';
import type { ModelProvider } from '../../src/worker';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';

const threads = Math.min(availableParallelism(), 4);
/** With the longest one, three more than may be replayed at a time. */
const manyRuns = threads + 3;
const turns = 40;
/** Beyond one execution. */
const moreTurns = 130;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: {} },
  execute: () => 'seen',
});
const asker = defineAgent({
  id: 'asker',
  model: 'double/one',
  tools: [look],
  askUser: 'tool',
  maxIterations: 1_000,
});

/** Looks for as many turns as the input says, asks, and ends. */
const double: ModelProvider = {
  name: 'double',
  call: ({ messages }) => {
    const [part] = messages[0]?.parts ?? [];
    const asked = Number(part?.type === 'text' ? part.text : 0);
    const turn = messages.filter(({ role }) => role === 'assistant').length + 1;
    const call = { type: 'tool_call', callId: `call-${turn}` } as const;
    const looks = { ...call, name: 'look', args: {} };
    const asks = { ...call, name: 'ask_user', args: { question: 'Go on?' } };
    const next = turn < asked ? looks : asks;
    return Promise.resolve({
      content: [turn > asked ? { type: 'text', text: 'Done.' } : next],
      usage: {
        inputTokens: 1,
        outputTokens: 1,
        totalTokens: 2,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      },
      finishReason: turn > asked ? 'stop' : 'tool_calls',
      origin: { provider: 'double', api: 'double', model: 'one' },
    });
  },
};

describe('a restart', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('replays many long runs a few at a time: no work is lost', async () => {
    const options = {
      runners: [asker],
      providers: { double },
      // As many as a worker has by itself.
      workerOptions: { debugMode: false, workflowThreadPoolSize: threads },
    };
    const first = await harness.worker(options);
    const inputs = [moreTurns, ...Array.from({ length: manyRuns }, () => turns)].map(String);
    const runs = await Promise.all(inputs.map((input) => harness.longhaul.start('asker', input)));
    await Promise.all(runs.map((run) => run.outcome()));
    await first.stop();
    const second = await harness.worker(options);
    const restarted = Date.now();
    await Promise.all(runs.map((run) => run.resume('Yes.').then(() => run.result())));
    await second.stop();
    const histories = await Promise.all(
      runs.map((run) => fetchHistory(harness.longhaul, run.workflowId)),
    );
    const cold = histories.map((events) => firstTask(events, restarted));
    const atATime = cold.map(
      ({ began }) => cold.filter((one) => one.began <= began && began < one.ended).length,
    );
    expect(Math.max(...atATime)).toBeLessThanOrEqual(threads + 1);
    for (const events of histories) {
      const lost = events.filter(({ workflowTaskTimedOutEventAttributes: timedOut }) => {
        return timedOut && Number(timedOut.startedEventId) > 0;
      });
      expect(lost).toEqual([]);
      expect(events.length).toBeLessThan(limits.historyEvents + 50);
    }
    const started = histories[0]?.[0]?.workflowExecutionStartedEventAttributes;
    expect(started?.continuedExecutionRunId).toBeTruthy();
  });
});

type Events = Awaited<ReturnType<typeof fetchHistory>>;

/** When a run's first workflow task since then, in which it is replayed, was taken and was done. */
function firstTask(events: Events, since: number): { began: number; ended: number } {
  const times = events.map(
    ({ eventTime }) => Number(eventTime?.seconds) * 1_000 + (eventTime?.nanos ?? 0) / 1e6,
  );
  const index = events.findIndex(
    (event, at) => event.workflowTaskCompletedEventAttributes && (times[at - 1] ?? 0) >= since,
  );
  return { began: times[index - 1] ?? 0, ended: times[index] ?? 0 };
}
