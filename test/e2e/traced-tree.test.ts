// One run that everything happens to, and its spans as they arrive over OTLP/HTTP from two worker processes. The pause is short here;
// test/workflow/telemetry.test.ts has one of two days.

import { randomUUID } from 'node:crypto';
import { connect, type Longhaul, type RunHandle } from '../../src/client';
import { devServerAddress } from '../servers';
import { expectTree, named, type PlainSpan, sum } from '../unit/telemetry/otel/plain-span';
import { eventually } from '../workflow/eventually';
import { fetchHistory } from '../workflow/history';
import { OtlpReceiver } from './otlp-receiver';
import { TracedProcess } from './traced-process';
import { type Said, TracedWorld, usageOfCall } from './traced-world';

/** Stands for all that people, models and tools say. */
const secret = `planted-${randomUUID()}`;
const branches = Array.from({ length: 20 }, (_, index) => `branch-${index}`);

const scripts: Readonly<Record<string, readonly Said[]>> = {
  chief: [
    {
      calls: [
        ['dig', { for: secret }],
        ['stumble', { over: secret }],
        ['scout', { input: `Look for ${secret}.` }],
      ],
    },
    { calls: [['fan', { input: `Ask for ${secret}.` }]] },
    { calls: [['clerk', { input: `Pay ${secret}.` }]] },
    { text: `Done with ${secret}.` },
  ],
  scout: [{ text: `Nothing about ${secret}.` }],
  clerk: [{ calls: [['transfer', { to: secret }]] }, { text: `Paid ${secret}.` }],
  ...Object.fromEntries(branches.map((name) => [name, [{ text: `${name}: ${secret}` }]])),
};

const byId = (spans: readonly PlainSpan[]): PlainSpan[] =>
  spans.toSorted((one, other) => one.spanId.localeCompare(other.spanId));
const idsOf = (spans: readonly PlainSpan[]): string[] => byId(spans).map(({ spanId }) => spanId);

/** The run refuses the signals. It continues as new when no run below it is open. */
async function growHistory({ client }: Longhaul, { workflowId }: RunHandle): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  for (let sent = 0; sent < 5; sent += 1)
    await handle.signal('resume', { answer: 'x'.repeat(1_000_000) });
}

describe('the trace of a run that everything happens to', () => {
  const world = new TracedWorld(scripts);
  const receiver = new OtlpReceiver();
  const workers: TracedProcess[] = [];
  const pause = { from: 0, to: 0 };
  let longhaul: Longhaul;
  let run: RunHandle;
  let spans: readonly PlainSpan[];
  let metrics: string;

  async function startWorker(taskQueue: string, cachedWorkflows: number): Promise<TracedProcess> {
    const worker = await TracedProcess.start({
      address: devServerAddress(),
      taskQueue,
      world: world.url,
      otlp: receiver.url,
      secret,
      branches,
      cachedWorkflows,
    });
    workers.push(worker);
    return worker;
  }

  beforeAll(async () => {
    const taskQueue = `traced-${randomUUID()}`;
    await Promise.all([world.open(), receiver.open()]);
    longhaul = await connect({ address: devServerAddress(), taskQueue });
    world.hang('dig', 'scout');
    world.fail('branch-3');
    const first = await startWorker(taskQueue, 100);
    run = await longhaul.start('chief', `Find ${secret}.`, { session: { kept: secret } });
    // The process dies in a tool and in a model call. All that ended before has been exported.
    await eventually(
      'two calls hang, and the others are told',
      () =>
        world.tools.includes('dig') &&
        world.models.includes('scout') &&
        receiver.spans.length === 2 &&
        first.spans.length === 2,
    );
    await first.kill();

    // Nothing is kept in memory: each workflow task and each query replays.
    const second = await startWorker(taskQueue, 0);
    await run.outcome();
    pause.from = Date.now();
    for (let count = 0; count < 10; count += 1) await run.state();
    await growHistory(longhaul, run);
    pause.to = Date.now();
    const [input] = await run.pending();
    await run.approve(input?.inputId ?? '');
    await run.result();

    const told = (): PlainSpan[] => workers.flatMap((worker) => worker.spans);
    const ends = (): PlainSpan[] =>
      named(told(), 'invoke_agent chief').filter(
        ({ attributes }) => attributes['longhaul.status'] === 'completed',
      );
    await eventually('the last segment', () => ends().length === 1);
    await eventually('all spans arrive', () => receiver.spans.length === told().length);
    metrics = await second.metrics();
    spans = receiver.spans;
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await longhaul.close();
    await Promise.all([world.close(), receiver.close()]);
  });

  it('arrives over OTLP as it was exported', () => {
    const told = workers.flatMap((worker) => worker.spans);
    expect(byId(spans)).toEqual(byId(told));
  });

  it('went over a continue-as-new', async () => {
    const [started] = await fetchHistory(longhaul, run.workflowId);
    const attributes = started?.workflowExecutionStartedEventAttributes;
    expect(attributes?.continuedExecutionRunId).toBeTruthy();
  });

  it('is one tree, with the runs below and without a duplicate', () => {
    expectTree(spans);
    // The chief has a segment on each side of the pause, and the clerk, too.
    const segments = ['chief', 'scout', 'clerk'].map(
      (agent) => named(spans, `invoke_agent ${agent}`).length,
    );
    expect(segments).toEqual([2, 1, 2]);
    expect(named(spans, 'invoke_workflow fan')).toHaveLength(1);
    expect(named(spans, 'invoke_agent branch-')).toHaveLength(20);
    const of = (name: string): string[] => idsOf(named(spans, name));
    const [firstOfChief] = named(spans, 'invoke_agent chief').filter(
      ({ parentId }) => parentId === undefined,
    );
    const [fan] = named(spans, 'invoke_workflow fan');
    expect(fan?.parentId).toBe(firstOfChief?.spanId);
    for (const branch of named(spans, 'invoke_agent branch-'))
      expect(branch.parentId).toBe(fan?.spanId);
    for (const chat of named(spans, 'chat branch-'))
      expect(of(`invoke_agent ${chat.name.slice('chat '.length)}`)).toContain(chat.parentId);
  });

  it('has one span for each attempt, as the provider and the tools counted them', () => {
    const names = (kind: string): string[] =>
      named(spans, kind)
        .map(({ name }) => name.slice(kind.length))
        .toSorted();
    expect(names('chat ')).toEqual(world.models.toSorted());
    expect(names('execute_tool ')).toEqual(world.tools.toSorted());
    expect(world.models.filter((model) => model === 'scout')).toHaveLength(2);
    expect(world.models.filter((model) => model === 'branch-3')).toHaveLength(2);
    expect(world.tools.toSorted()).toEqual(['dig', 'dig', 'stumble', 'transfer']);
    const failed = spans.filter(({ status }) => status === 2);
    expect(
      failed.map(({ name, attributes }) => `${name} ${String(attributes['error.type'])}`).sort(),
    ).toEqual([
      'chat branch-3 ProviderError.unavailable',
      'chat scout WorkerLost',
      'execute_tool dig WorkerLost',
      'execute_tool stumble RangeError',
    ]);
  });

  it('adds up to the tokens and the cost of the run', async () => {
    const chats = named(spans, 'chat');
    const answered = world.models.length - 2;
    const [usage, result] = [await run.usage(), await run.result()];
    expect(usage.inputTokens).toBe(answered * usageOfCall.prompt_tokens);
    expect(sum(chats, 'gen_ai.usage.input_tokens')).toBe(usage.inputTokens);
    expect(sum(chats, 'gen_ai.usage.output_tokens')).toBe(usage.outputTokens);
    expect(sum(chats, 'longhaul.cost_usd')).toBeCloseTo(result.costUsd ?? NaN, 12);
  });

  it('has no span that is open over the pause', () => {
    expect(pause.to).toBeGreaterThan(pause.from);
    const open = spans.filter(
      ({ startedAt, endedAt }) => startedAt < pause.from && endedAt > pause.to,
    );
    expect(open.map(({ name }) => name)).toEqual([]);
    const paused = spans.filter(
      ({ attributes }) => Number(attributes['longhaul.paused_ms'] ?? 0) >= pause.to - pause.from,
    );
    expect(paused.map(({ name }) => name).toSorted()).toEqual([
      'invoke_agent chief',
      'invoke_agent clerk',
    ]);
  });

  it('says nothing of what was said, on no wire and in no line of a log', () => {
    const onWire = Buffer.concat(receiver.bodies);
    expect(onWire.includes('invoke_agent chief')).toBe(true);
    expect(onWire.includes(secret)).toBe(false);
    expect(metrics).toContain('gen_ai.client.token.usage');
    expect(metrics).not.toContain(secret);
    const printed = workers.map(({ output }) => output).join('\n');
    expect(printed).toContain("tool 'stumble' failed");
    expect(printed).not.toContain(secret);
  });
});
