// Random trees of runs on the dev server, against a model in plain memory. The seeds are fixed: a tree is grown again from its own.

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { featuresOf } from './random-trees/features';
import { growTree, type GrownTree } from './random-trees/grow';
import { judge } from './random-trees/judge';
import { play, type Played } from './random-trees/play';
import { Stage } from './random-trees/stage';
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

const scenes = sharpSeeds.map(growTree);

describe('a random tree of agents, pipelines, branches and graphs', () => {
  let harness: Harness;
  const stage = new Stage();
  const played: Played[] = [];

  beforeAll(async () => {
    harness = await openHarness();
    scenes.forEach(({ tree }) => stage.add(tree));
    await harness.worker({
      runners: scenes.map(({ tree }) => toRunner(tree.root)),
      providers: { scripted: stage.provider },
    });
  });
  afterAll(() => harness.close());

  it(
    `ends as the model says, each question answered once: ${scenes.length} trees`,
    async () => {
      const { longhaul } = harness;
      const queue = [...scenes];
      const wrongs: string[] = [];
      const playAll = async (): Promise<void> => {
        for (let scene = queue.shift(); scene !== undefined; scene = queue.shift()) {
          const one = await play({ longhaul, stage }, scene);
          played.push(one);
          wrongs.push(...judge(scene, one));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, playAll));
      expect(wrongs).toEqual([]);
    },
    timeout,
  );

  it('leaves no run open below it, and none that the server had to terminate', async () => {
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
    expect(played.map(({ workflowId }) => status.get(workflowId))).toEqual(played.map(statusOf));
  });

  it('has together with the others what 200 of them have', () => {
    const featuresOfAll = (trees: readonly GrownTree[]): readonly string[] =>
      [...new Set(trees.flatMap(featuresOf))].sort();
    expect(featuresOfAll(scenes)).toEqual(featuresOfAll(allSeeds.map(growTree)));
  });

  it('is one of all kinds', () => {
    const ends = new Set(played.map(({ end }) => (end.kind === 'failed' ? end.code : end.kind)));
    expect([...ends].sort()).toEqual([
      'MaxIterationsExceeded',
      'ParallelFailed',
      'ProviderError',
      'RunCancelled',
      'ToolError',
      'complete',
    ]);
    const refused = played.reduce((sum, one) => sum + one.secondAnswers, 0);
    expect(refused).toBeGreaterThan(scenes.length / 2);
  });
});

function statusOf({ end }: Played): string {
  if (end.kind === 'complete') return 'COMPLETED';
  return end.code === 'RunCancelled' ? 'CANCELLED' : 'FAILED';
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
