// What a run did, when, and at what cost: read from histories alone, with no worker left.

import { defineTool, graph, parallel, subAgent } from '../../src';
import type { RunTrace, TraceStep } from '../../src/client';
import { ProviderError } from '../../src/protocol/errors';
import { aTool, callOf } from './builders';
import { type Harness, openHarness, type RunningWorker } from './harness';
import { continueAsNew } from './history';
import { scriptedAgents } from './scripted-agents';

const price = { input: 100, output: 200 };
const prices = { 'scripted/payer': price, 'scripted/manager': price, 'scripted/reader': price };

const stepsOf = ({ segments }: RunTrace): readonly TraceStep[] =>
  segments.flatMap(({ steps }) => steps);

const kindsOf = (trace: RunTrace): readonly string[] => stepsOf(trace).map(({ kind }) => kind);

const runsIn = (trace: RunTrace): readonly RunTrace[] => [
  trace,
  ...stepsOf(trace).flatMap((step) => (step.kind === 'run' ? runsIn(step.run) : [])),
];

describe('trace', () => {
  let harness: Harness;
  let worker: RunningWorker;
  const { agent, provider } = scriptedAgents();
  const transfer = aTool('transfer', () => 'done', { needsApproval: true });
  const payer = agent('payer', [callOf('transfer', { amount: 100 }), 'Paid.'], {
    tools: [transfer],
  });
  const manager = agent('manager', [callOf('pay', { input: 'Pay Ann.' }), 'Settled.'], {
    tools: [subAgent(payer, { name: 'pay', description: 'Pays' })],
  });
  let attempts = 0;
  const flaky = () => {
    attempts += 1;
    if (attempts > 1) return 'Here I am.';
    throw new ProviderError('unavailable', 'try again', { retryAfterMs: 10 });
  };
  const retried = agent('retried', [flaky]);
  const throwing = defineTool({
    name: 'throwing',
    description: 'Throws',
    inputSchema: { type: 'object', properties: {} },
    retry: { maximumAttempts: 2, initialInterval: 10 },
    execute: () => {
      throw new Error('no such file');
    },
  });
  const clumsy = agent('clumsy', [callOf('throwing'), 'It failed.'], { tools: [throwing] });
  const failing = agent('failing', [
    () => {
      throw new ProviderError('auth', 'the key has expired');
    },
  ]);
  const reader = agent('reader', ['Read.']);
  const twenty = parallel({
    id: 'twenty',
    branches: Array.from({ length: 20 }, () => reader),
  });
  const pipeline = graph({
    id: 'pipeline',
    tasks: [
      { id: 'read', runner: twenty },
      { id: 'sum', runner: reader, dependencies: ['read'] },
    ],
  });
  const asking = agent('asking', [callOf('ask_user', { question: 'Go on?' }), 'Went on.'], {
    askUser: 'tool',
  });

  beforeAll(async () => {
    harness = await openHarness();
    const runners = [manager, retried, clumsy, failing, pipeline, asking, reader];
    worker = await harness.worker({ runners, providers: { scripted: provider }, prices });
  });
  afterAll(() => harness.close());

  it('has each run, call and pause of a nested approval, and its totals', async () => {
    const run = await harness.longhaul.start('manager', 'Go.');
    const asked = await run.outcome();
    const [input] = asked.kind === 'needs-input' ? asked.pending : [];
    await run.approve(input?.inputId ?? '', { by: { id: 'ada' } });
    const { usage, costUsd } = await run.result();

    const trace = await run.trace();
    expect(trace).toMatchObject({ status: 'completed', runner: 'manager', usage, costUsd });
    expect(kindsOf(trace)).toEqual(['work', 'chat', 'run', 'chat']);
    const below = runsIn(trace)[1];
    expect(below).toMatchObject({ path: 'manager/pay', runner: 'payer', gaps: [] });
    expect(below?.segments.map(({ steps }) => steps.map(({ kind }) => kind))).toEqual([
      ['work', 'chat', 'pause'],
      ['tool', 'chat'],
    ]);
    expect(below && stepsOf(below)[2]).toMatchObject({
      asks: 'approval',
      end: 'approved',
      by: 'ada',
    });
    const worked = (below?.segments ?? []).reduce((sum, { ms }) => sum + ms, 0);
    expect(worked + (below?.pausedMs ?? 0)).toBe(below?.ms);
  });

  it('says of attempts what history holds', async () => {
    const run = await harness.longhaul.start('retried', 'Go.');
    await run.result();
    const [, chat] = stepsOf(await run.trace());
    expect(chat).toMatchObject({
      kind: 'chat',
      model: 'scripted/retried',
      status: 'completed',
      attempts: 2,
      error: expect.stringContaining('try again') as string,
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(chat).not.toHaveProperty('waitMs');
  });

  it('has the error of a tool, and of a run that failed', async () => {
    const clumsyRun = await harness.longhaul.start('clumsy', 'Go.');
    await clumsyRun.result();
    const tool = stepsOf(await clumsyRun.trace()).find(({ kind }) => kind === 'tool');
    const error = expect.stringContaining('no such file') as string;
    expect(tool).toMatchObject({ name: 'throwing', isError: true, attempts: 2, error });

    const run = await harness.longhaul.start('failing', 'Go.');
    await expect(run.result()).rejects.toMatchObject({ code: 'ProviderError' });
    const trace = await run.trace();
    expect(trace).toMatchObject({ status: 'failed' });
    expect(trace.error).toContain('the key has expired');
    expect(stepsOf(trace)[1]).toMatchObject({
      kind: 'chat',
      model: 'scripted/failing',
      status: 'failed',
    });
  });

  it('has a graph with a parallel of 20 in it, up to the limits it is given', async () => {
    const run = await harness.longhaul.start('pipeline', 'Go.');
    const { usage, costUsd } = await run.result();
    const trace = await run.trace();
    expect(trace).toMatchObject({
      kind: 'graph',
      usage,
      costUsd: expect.closeTo(costUsd ?? 0) as number,
    });
    expect(runsIn(trace)).toHaveLength(23);

    const few = runsIn(await run.trace({ runs: 5 }));
    expect(few.filter(({ cut }) => cut === 'runs')).toHaveLength(18);
    const short = runsIn(await run.trace({ events: 30 }));
    expect(short.some(({ cut }) => cut === 'events')).toBe(true);
    await expect(run.trace({ runs: 0 })).rejects.toMatchObject({ code: 'InvalidInput' });
  });

  it('joins the executions of a run that continued as new', async () => {
    const run = await harness.longhaul.start('asking', 'Go.');
    await run.outcome();
    await continueAsNew(harness.longhaul, run);
    await run.resume('yes');
    const { usage } = await run.result();
    const trace = await run.trace();
    expect(trace).toMatchObject({ executions: 2, usage });
    expect(trace.segments).toHaveLength(2);
    expect(kindsOf(trace)).toEqual(['work', 'chat', 'pause', 'chat']);
  });

  it('has the turns of a thread', async () => {
    const thread = harness.longhaul.thread({ agent: 'reader', sessionId: harness.taskQueue });
    for (const text of ['one', 'two']) await (await thread.send(text)).result();
    // The thread learns a moment later that its turn has ended. `turns` waits for that.
    await thread.turns();
    const { usage } = await thread.state();
    const trace = await thread.trace();
    expect(trace).toMatchObject({ kind: 'thread', runner: 'reader', usage, status: 'running' });
    expect(kindsOf(trace)).toEqual(['work', 'run', 'run']);
  });

  it('needs no worker, and says that a call waits for one', async () => {
    await worker.stop();
    const run = await harness.longhaul.start('reader', 'Nobody is there.');
    expect(await run.trace()).toMatchObject({ status: 'running', executions: 1, segments: [{}] });
    await run.cancel();
  });
});
