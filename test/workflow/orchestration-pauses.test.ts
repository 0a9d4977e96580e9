// Orchestration that waits for a person: pauses in steps, branches and tasks.

import { graph, parallel, sequential, type Runner } from '../../src';
import type { ChildView } from '../../src/protocol/run';
import { askUser, aTool, callOf, resultOf } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { lastText, scriptedAgents } from './scripted-agents';

const { agent, provider } = scriptedAgents();
const runners: Runner[] = [];
const asker = (id: string, question: string, answer: string): Runner =>
  agent(id, [askUser(question), answer], { askUser: 'tool' });

describe('orchestration that waits for a person', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
    await harness.worker({ runners, providers: { scripted: provider } });
  });
  afterAll(() => harness.close());

  const echo = agent('echo', [(request) => `<${lastText(request)}>`]);
  runners.push(
    sequential({
      id: 'pipeline',
      steps: [asker('planner', 'For whom?', 'plan'), asker('checker', 'Sure?', 'checked'), echo],
      passOutput: true,
    }),
  );
  it('an answer continues the pipeline where it was, and the later steps run', async () => {
    const run = await harness.longhaul.start('pipeline', 'Go.');
    expect(await run.outcome()).toMatchObject({ path: 'pipeline/planner', question: 'For whom?' });
    await run.resume('for all');
    expect(await run.outcome()).toMatchObject({ path: 'pipeline/checker', question: 'Sure?' });
    await run.resume('yes');
    expect(await run.result()).toEqual(resultOf('<checked>', { calls: 5 }));
  });

  const worked: string[] = [];
  const work = aTool('work', () => worked.push('worked'));
  const worker = agent('worker', [callOf('work'), 'worked'], { tools: [work] });
  runners.push(
    parallel({
      id: 'board',
      branches: [asker('left', 'Left?', 'left'), worker, asker('right', 'Right?', 'right')],
    }),
  );
  it('a pause in a branch keeps what the others did, and each question has its own answer', async () => {
    const run = await harness.longhaul.start('board', 'Go.');
    await eventually('both ask', async () => (await run.pending()).length === 2);
    await eventually('the third works', () => worked.length === 1);
    const [left, right] = (await run.pending()).toSorted((one, two) =>
      one.path.localeCompare(two.path),
    );
    expect([left?.path, right?.path]).toEqual(['board/branch-1', 'board/branch-3']);
    await run.resume('no', { inputId: right?.inputId ?? '' });
    await run.resume('yes', { inputId: left?.inputId ?? '' });
    expect(await run.result()).toEqual(
      resultOf('right', {
        calls: 6,
        iterations: 1,
        completionReason: 'all branches completed',
        combinedText: '["left","worked","right"]',
      }),
    );
    expect(worked).toEqual(['worked']);
  });

  const inner = sequential({ id: 'inner', steps: [echo, asker('deep', 'How deep?', 'deep')] });
  const middle = graph({
    id: 'middle',
    tasks: [
      { id: 'find', runner: parallel({ id: 'pair', branches: [echo, inner] }) },
      { id: 'sum', runner: echo, dependencies: ['find'], prompt: 'found ${find.output}' },
    ],
  });
  runners.push(sequential({ id: 'outer', steps: [middle, echo], passOutput: true }));
  it('a question has the way to who asks, and the answer takes it', async () => {
    const run = await harness.longhaul.start('outer', 'Go.');
    expect(await run.outcome()).toMatchObject({
      agentId: 'deep',
      path: 'outer/middle/find/branch-2/deep',
    });
    await run.resume('very');
    expect((await run.result()).finalResponse.text).toBe('<<found deep>>');
  });

  runners.push(
    parallel({ id: 'race', branches: [asker('waits', 'Well?', 'late'), echo], merge: 'first' }),
  );
  it('a branch that asks does not spoil the first to complete', async () => {
    const run = await harness.longhaul.start('race', 'Go.');
    expect(await run.result()).toMatchObject({ finalResponse: { text: '<Go.>' } });
    expect(await run.pending()).toEqual([]);
  });

  let tries = 0;
  const flaky = aTool(
    'flaky',
    () => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
      return 'ready';
    },
    { onError: 'fail', retry: { maximumAttempts: 1 } },
  );
  const tester = agent('tester', [callOf('flaky'), 'tested'], {
    tools: [flaky],
  });
  runners.push(graph({ id: 'checks', tasks: [{ id: 'test', runner: tester, maxRetries: 1 }] }));
  it('a task is a whole agent, and each of its attempts stays to be read', async () => {
    const run = await harness.longhaul.start('checks', 'Go.');
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'tested' }, iterations: 1 });
    const { workflow } = harness.longhaul.client;
    const attempts = await workflow.getHandle(run.workflowId).query<ChildView[]>('children');
    expect(attempts.map(({ path, status }) => [path, status])).toEqual([
      ['checks/test', 'failed'],
      ['checks/test', 'completed'],
    ]);
    const times = await Promise.all(
      attempts.map(async ({ workflowId }) => workflow.getHandle(workflowId).describe()),
    );
    const moments = times.flatMap(({ startTime, closeTime = startTime }) => [startTime, closeTime]);
    expect(moments.map(Number).toSorted((one, two) => one - two)).toEqual(moments.map(Number));
  });
});
