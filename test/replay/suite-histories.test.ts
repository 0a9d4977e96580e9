// Replays what the other tests of this Jest run left on the dev server: whatever they made a workflow do, it does again.
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { connect, type Longhaul } from '../../src/client';
import { whereType } from '../../src/protocol/names';
import { fetchHistory } from '../../src/testing';
import { devServerAddress } from '../servers';
import { inOrderAhead, replayAll, type NamedHistory } from './replays';

/** Set by the test sequencer: when the run began, and whether the tests that leave histories are part of it. */
const since = process.env['LONGHAUL_TEST_SINCE'] ?? '';
const isFullRun = process.env['LONGHAUL_TEST_WORKFLOWS'] === 'yes';

/** The server's list lags behind by about a second, and tests that have not ended start runs that are not in the query. */
async function countUntilSteady({ client }: Longhaul, query: string): Promise<number> {
  let last = -1;
  for (;;) {
    const { count } = await client.workflow.count(query);
    if (count === last) return count;
    last = count;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
}

/** Of one task queue, so of one test or file: as many runs of a type that ended alike, and of these one of each length. */
const mostAlike = { ends: 4, lengths: 1 };
/** This file runs last and alone, so it uses both cores: one worker in this thread, and one with a thread of its own. */
const lanes = [{}, { debugMode: false, workflowThreadPoolSize: 1 }];

/** Counts what is alike, and says whether there are enough. */
class Sample {
  readonly #taken = new Map<string, number>();

  takes({ type, taskQueue, status, historyLength }: WorkflowExecutionInfo): boolean {
    const ends = `${taskQueue} ${type} ${status.name}`;
    const lengths = `${ends} ${historyLength}`;
    if (this.#count(ends) >= mostAlike.ends || this.#count(lengths) >= mostAlike.lengths)
      return false;
    for (const kind of [ends, lengths]) this.#taken.set(kind, this.#count(kind) + 1);
    return true;
  }

  #count(kind: string): number {
    return this.#taken.get(kind) ?? 0;
  }
}

type History = Awaited<ReturnType<typeof fetchHistory>>;

/**
 * What the tests of encryption leave needs a bundle of its own, also where it is in clear. What the test of external storage leaves needs
 * its storage: that test replays it. What the tests of versions and of other workers leave was written by other code, and so was some of
 * what scripts with a task queue of their own leave.
 */
const needsMore = ({ taskQueue }: WorkflowExecutionInfo): boolean =>
  /^(?:encryption|storage|versions|other-workers|conformance-\w+-\d+)-/.test(taskQueue);

/** What tests with a codec leave cannot be read here. */
function isReadable({ events }: History): boolean {
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  const encoding = started?.input?.payloads?.[0]?.metadata?.['encoding'];
  return Buffer.from(encoding ?? '').toString() !== 'binary/encrypted';
}

/** What comes next is read while one is replayed. */
async function* historiesOf(longhaul: Longhaul, query: string): AsyncGenerator<NamedHistory> {
  for await (const histories of inOrderAhead(fetchesOf(longhaul, query), 4)) yield* histories;
}

async function* fetchesOf(longhaul: Longhaul, query: string) {
  const sample = new Sample();
  for await (const run of longhaul.client.workflow.list({ query })) {
    if (!needsMore(run) && sample.takes(run)) yield () => fetchNamed(longhaul, run);
  }
}

async function fetchNamed(
  longhaul: Longhaul,
  { workflowId, runId }: WorkflowExecutionInfo,
): Promise<NamedHistory[]> {
  const history = await fetchHistory(longhaul, workflowId, { runId });
  return isReadable(history) ? [{ name: `${workflowId} ${runId}`, workflowId, history }] : [];
}

describe('histories of the test suite', () => {
  (isFullRun ? it : it.skip)(
    'replay',
    async () => {
      // Not a connection of the SDK's making: that one tries a page that is too long again, for half a minute.
      const longhaul = await connect({ address: devServerAddress() });
      try {
        const now = new Date().toISOString();
        const query = `${whereType()} AND StartTime BETWEEN '${since}' AND '${now}'`;
        const count = await countUntilSteady(longhaul, query);
        const begun = performance.now();
        const histories = historiesOf(longhaul, query);
        // Each lane takes the next one, and none closes what both read.
        const lane = { [Symbol.asyncIterator]: () => ({ next: () => histories.next() }) };
        const replayed = await Promise.all(lanes.map((options) => replayAll(lane, options)));
        const outcomes = new Map(replayed.flatMap((outcomesOfLane) => [...outcomesOfLane]));
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
        process.stdout.write(`${outcomes.size} of ${count} histories replayed in ${seconds} s\n`);
        const failures = [...outcomes].flatMap(([name, error]) =>
          error ? [`${name}: ${error}`] : [],
        );
        expect(failures).toEqual([]);
        expect(count).toBeGreaterThan(0);
        expect(outcomes.size).toBeGreaterThan(0);
      } finally {
        await longhaul.close();
      }
    },
    1_200_000,
  );
});
