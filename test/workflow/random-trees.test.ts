// Random trees of runs on the dev server, against a model in plain memory. The seeds are fixed: a tree is grown again from its own.

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { growTree } from './random-trees/grow';
import { judge } from './random-trees/judge';
import { play, type Played } from './random-trees/play';
import { Stage } from './random-trees/stage';
import { toRunner } from './random-trees/tree';

/** In CI 200 trees; else 60 of them, for a run of the suite in minutes. */
const isWhole = Boolean(process.env['CI']);
const firstSeeds = isWhole ? [1_000, 2_000, 3_000, 4_000] : [1_020, 2_000, 3_000, 4_000];
const treesEach = isWhole ? 50 : 15;
const atOnce = 20;
const timeout = 4 * 60_000;

const scenes = firstSeeds.flatMap((first) =>
  Array.from({ length: treesEach }, (_, index) => growTree(first + index)),
);

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

  it.each(firstSeeds)(
    `ends as the model says, each question answered once: ${treesEach} trees from seed %i on`,
    async (first) => {
      const { longhaul } = harness;
      const queue = scenes.filter(({ seed }) => seed >= first && seed < first + treesEach);
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
    expect(played.map(({ runId }) => status.get(runId))).toEqual(played.map(statusOf));
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
