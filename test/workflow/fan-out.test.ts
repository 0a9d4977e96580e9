// Wide parallels on the dev server: how many start at a time, what one workflow task carries, and what is asked of the topmost run.

import { NativeConnection } from '@temporalio/worker';
import { parallel, type Agent } from '../../src';
import { limits } from '../../src/protocol/limits';
import { queryNames } from '../../src/protocol/names';
import { devServerAddress } from '../servers';
import { openHarness, type Harness } from './harness';
import { fetchHistory, type HistoryEvents } from './history';
import { quietRuntime } from './quiet';
import { lastText, scriptedAgents } from './scripted-agents';

const branches = 100;

describe('a wide parallel', () => {
  let harness: Harness;
  const agents = scriptedAgents();
  const echo = agents.agent('echo', [(request) => String(lastText(request).length)]);
  const company = untilThereAre(limits.concurrency);
  const wide = parallel({
    id: 'wide',
    branches: Array.from({ length: branches }, (_, index) =>
      agents.agent(`b${index}`, [
        async () => {
          await company();
          return `${index}`;
        },
      ]),
    ),
  });
  const heavy = parallel({ id: 'heavy', branches: Array.from({ length: 40 }, (): Agent => echo) });

  let questions: () => number;
  const connections: NativeConnection[] = [];

  beforeAll(async () => {
    harness = await openHarness();
    quietRuntime();
    const options = { runners: [wide, heavy], providers: { scripted: agents.provider } };
    // Each has a cache of its own: one of them never saw the definition that the other one pinned.
    const spies = [1, 2].map(async () => {
      const connection = await NativeConnection.connect({ address: devServerAddress() });
      connections.push(connection);
      await harness.worker({ ...options, connection });
      return jest.spyOn(connection.workflowService, 'queryWorkflow');
    });
    const calls = (await Promise.all(spies)).map((spy) => spy.mock.calls);
    questions = () =>
      calls.flat().filter(([{ query }]) => query?.queryType === queryNames.definition).length;
  });
  afterAll(async () => {
    await harness.close();
    await Promise.all(connections.map((connection) => connection.close()));
  });

  it('runs at most 50 branches at a time and gives all texts in branch order', async () => {
    const run = await harness.longhaul.start('wide', 'Go');
    const { combinedText, finalResponse } = await run.result();
    expect(JSON.parse(combinedText ?? '')).toEqual(
      wide.spec.branches.map((_, index) => `${index}`),
    );
    expect(finalResponse.text).toBe(`${branches - 1}`);
    const { mostOpen, mostStarts } = childrenOf(await fetchHistory(harness.longhaul, run.runId));
    expect(mostOpen).toBe(limits.concurrency);
    expect(mostStarts).toBe(limits.childStarts);
    expect(questions()).toBe(1);
  });

  it('starts as many branches of 200 KiB in one workflow task as fit 1 MiB', async () => {
    const input = 'x'.repeat(200 * 1024);
    const run = await harness.longhaul.start('heavy', input);
    const texts = Array.from({ length: 40 }, () => `${input.length}`);
    expect(JSON.parse((await run.result()).combinedText ?? '')).toEqual(texts);
    const { mostStarts } = childrenOf(await fetchHistory(harness.longhaul, run.runId, 10));
    expect(mostStarts).toBe(5);
  });
});

/** Waits until as many wait; who comes later waits no more. */
function untilThereAre(count: number): () => Promise<void> {
  let waiting = 0;
  let goOn: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (goOn = resolve));
  return async () => {
    waiting += 1;
    if (waiting >= count) goOn();
    await complete;
  };
}

/** Of a run: how many of its children were open at the same time, and how many one of its workflow tasks started. */
function childrenOf(events: HistoryEvents): { mostOpen: number; mostStarts: number } {
  let open = 0;
  let mostOpen = 0;
  const startsOf = new Map<string, number>();
  for (const event of events) {
    const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (initiated) {
      const task = String(initiated.workflowTaskCompletedEventId);
      startsOf.set(task, (startsOf.get(task) ?? 0) + 1);
      open += 1;
      mostOpen = Math.max(mostOpen, open);
    }
    if (event.childWorkflowExecutionCompletedEventAttributes) open -= 1;
  }
  return { mostOpen, mostStarts: Math.max(0, ...startsOf.values()) };
}
