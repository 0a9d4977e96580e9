// Random trees of runs, against a model in plain memory. The seeds are fixed: the same seed gives the same tree.

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { featuresOf } from './random-trees/features';
import { randomTree, type RandomTree } from './random-trees/random-tree';
import { problemsOf } from './random-trees/check-run';
import { runTree, type TreeRun } from './random-trees/run-tree';
import { TreeModels } from './random-trees/tree-models';
import { toRunner } from './random-trees/tree';

/** Of 200 trees the few small ones that have together whatever the 200 have: seeds that add nothing cost minutes. */
const sharpSeeds = [
  ...[1_007, 1_009, 1_032, 1_049, 2_002, 2_004, 2_011, 2_014, 2_023, 2_032, 2_037, 2_042, 2_043],
  ...[3_000, 3_005, 3_015, 3_024, 3_025, 3_026, 3_032, 3_044, 3_045, 4_004, 4_005, 4_030, 4_033],
];
const allSeeds = [1_000, 2_000, 3_000, 4_000].flatMap((first) =>
  Array.from({ length: 50 }, (_, index) => first + index),
);
const atOnce = 20;
const timeout = 4 * 60_000;

const trees = sharpSeeds.map(randomTree);

describe('a random tree of agents, pipelines, branches and graphs', () => {
  let harness: Harness;
  const models = new TreeModels();
  const treeRuns: TreeRun[] = [];

  beforeAll(async () => {
    harness = await openHarness();
    trees.forEach(({ tree }) => models.add(tree));
    await harness.worker({
      runners: trees.map(({ tree }) => toRunner(tree.root)),
      providers: { scripted: models.provider },
    });
  });
  afterAll(() => harness.close());

  it(
    `ends as the model says, each question answered once: ${trees.length} trees`,
    async () => {
      const { longhaul } = harness;
      const queue = [...trees];
      const wrongs: string[] = [];
      const runAll = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const one = await runTree({ longhaul, models }, next);
          treeRuns.push(one);
          wrongs.push(...problemsOf(next, one));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, runAll));
      expect(wrongs).toEqual([]);
    },
    timeout,
  );

  it('leaves no run open below it, and no run that the server had to terminate', async () => {
    let runs: readonly WorkflowExecutionInfo[] = [];
    await eventually('all are closed', async () => {
      runs = await collect(
        harness.longhaul.client.workflow.list({ query: `TaskQueue = '${harness.taskQueue}'` }),
      );
      return runs.every(({ status }) => status.name !== 'RUNNING');
    });
    const ended = ['COMPLETED', 'FAILED', 'CANCELLED'];
    const others = runs.filter((run) => !ended.includes(run.status.name));
    expect(others.map((run) => `${run.workflowId} ${run.status.name}`)).toEqual([]);
    const status = new Map(runs.map((run) => [run.workflowId, run.status.name]));
    expect(treeRuns.map(({ workflowId }) => status.get(workflowId))).toEqual(
      treeRuns.map(statusOf),
    );
  });

  it('has together with the others what 200 of them have', () => {
    const featuresOfAll = (trees: readonly RandomTree[]): readonly string[] =>
      [...new Set(trees.flatMap(featuresOf))].sort();
    expect(featuresOfAll(trees)).toEqual(featuresOfAll(allSeeds.map(randomTree)));
  });

  it('is one of all kinds', () => {
    const ends = new Set(treeRuns.map(({ end }) => (end.kind === 'failed' ? end.code : end.kind)));
    expect([...ends].sort()).toEqual([
      'MaxIterationsExceeded',
      'ParallelFailed',
      'ProviderError',
      'RunCancelled',
      'ToolError',
      'complete',
    ]);
    const refused = treeRuns.reduce((sum, one) => sum + one.secondAnswers, 0);
    expect(refused).toBeGreaterThan(trees.length / 2);
  });
});

function statusOf({ end }: TreeRun): string {
  if (end.kind === 'complete') return 'COMPLETED';
  return end.code === 'RunCancelled' ? 'CANCELLED' : 'FAILED';
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
