// Replays what the other tests of this Jest run left on the dev server: whatever they made a workflow do, it does again.
import { Connection } from '@temporalio/client';
import { connect, type Longhaul } from '../../src/client';
import { threadType, workflowTypes } from '../../src/protocol/names';
import { fetchHistory } from '../../src/testing';
import { devServerAddress } from '../servers';
import { replayAll, type NamedHistory } from './replays';

/** Set by the test sequencer: when the run began, and whether the tests that leave histories are part of it. */
const since = process.env['LONGHAUL_TEST_SINCE'] ?? '';
const isFullRun = process.env['LONGHAUL_TEST_WORKFLOWS'] === 'yes';

/** The server's list lags behind by about a second; nothing is started while this test runs. */
async function countUntilSteady({ client }: Longhaul, query: string): Promise<number> {
  let last = -1;
  for (;;) {
    const { count } = await client.workflow.count(query);
    if (count === last) return count;
    last = count;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
}

/** Of a test with hundreds of runs, as many of each type: they differ little. */
const mostAlike = 40;

async function* historiesOf(longhaul: Longhaul, query: string): AsyncGenerator<NamedHistory> {
  const taken = new Map<string, number>();
  for await (const { workflowId, runId, ...run } of longhaul.client.workflow.list({ query })) {
    const kind = `${run.type} ${run.taskQueue}`;
    taken.set(kind, (taken.get(kind) ?? 0) + 1);
    if ((taken.get(kind) ?? 0) > mostAlike) continue;
    const history = await fetchHistory(longhaul, workflowId, { executionRunId: runId });
    yield { name: `${workflowId} ${runId}`, workflowId, history };
  }
}

describe('histories of the test suite', () => {
  (isFullRun ? it : it.skip)(
    'replay',
    async () => {
      const connection = await Connection.connect({ address: devServerAddress() });
      try {
        const longhaul = await connect({ connection });
        const types = [...Object.values(workflowTypes), threadType].map((type) => `'${type}'`);
        const query = `WorkflowType IN (${types.join(', ')}) AND StartTime >= '${since}'`;
        const count = await countUntilSteady(longhaul, query);
        const begun = performance.now();
        const outcomes = await replayAll(historiesOf(longhaul, query));
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
        process.stdout.write(`${outcomes.size} histories of this run replayed in ${seconds} s\n`);
        const failures = [...outcomes].flatMap(([name, error]) =>
          error ? [`${name}: ${error}`] : [],
        );
        expect(failures).toEqual([]);
        expect(count).toBeGreaterThan(0);
        expect(outcomes.size).toBeGreaterThan(0);
      } finally {
        await connection.close();
      }
    },
    300_000,
  );
});
