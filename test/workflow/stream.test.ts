// Streams of runs: what a run and the runs below it do, from its log, its state and the deltas of its workers.

import type { ConnectionLike } from '@temporalio/client';
import { defineAgent, subAgent } from '../../src';
import { connect, type Longhaul, type StreamEvent } from '../../src/client';
import { ProcessDeltas } from '../../src/stores';
import { scriptedModel } from '../../src/testing/scripted-model';
import { aTool, askUser, callOf, TestAgents } from './builders';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';

/** The events until the end, or until the given type. */
async function read(
  events: AsyncIterable<StreamEvent>,
  until: StreamEvent['type'] = 'end',
): Promise<StreamEvent[]> {
  const told: StreamEvent[] = [];
  for await (const event of events) {
    told.push(event);
    if (event.type === until && (until !== 'end' || event.path === told[0]?.path)) break;
  }
  return told;
}

/** The types, without deltas. */
function typesOf(events: readonly StreamEvent[]): string[] {
  return events.map(({ type }) => type).filter((type) => !['text', 'call-delta'].includes(type));
}

/** What one sees at last: each step once, its deltas joined. Without positions. */
function joined(events: readonly StreamEvent[]): unknown[] {
  const seen: Record<string, unknown>[] = [];
  for (const { position: _position, ...event } of events) {
    if (event.type === 'step-begin') {
      const isVoid = (other: Record<string, unknown>): boolean =>
        other['workflowId'] === event.workflowId && other['turn'] === event.turn;
      seen.splice(0, seen.length, ...seen.filter((other) => !isVoid(other)));
    }
    const last = seen.at(-1);
    const isMore = 'delta' in event && last?.['type'] === event.type && last['part'] === event.part;
    if (isMore) last['delta'] = `${String(last['delta'])}${event.delta}`;
    else seen.push({ ...event });
  }
  return seen;
}

/** A connection that counts its calls. */
function counting(connection: ConnectionLike) {
  const counts: Record<string, number> = {};
  const workflowService = new Proxy(connection.workflowService, {
    get: (service, name) => {
      const value: unknown = Reflect.get(service, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        counts[String(name)] = (counts[String(name)] ?? 0) + 1;
        return Reflect.apply(value, service, args);
      };
    },
  });
  const counted = new Proxy(connection, {
    get: (target, name) => {
      if (name === 'workflowService') return workflowService;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { connection: counted, counts };
}

/** A tool that ends when the test says so. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<string>((resolve) => {
    open = () => resolve('opened');
  });
  return { tool: aTool('gate', () => opened), open: () => open() };
}

describe('a stream', () => {
  let harness: Harness;
  let longhaul: Longhaul;
  let counts: Record<string, number> = {};
  const deltas = new ProcessDeltas();
  const agents = new TestAgents();
  const sibling = gate();

  const look = aTool('look', () => Promise.resolve('seen'));
  const text = 'All is well with the world today.';
  for (const id of ['plain', 'watched', 'unwatched'])
    agents.agent(id, [callOf('look'), text], { tools: [look] });
  agents.agent('asking', [askUser('Red or blue?'), 'Fine.'], { askUser: 'tool' });
  agents.agent('given-up', [askUser('Red or blue?')], { askUser: 'tool' });
  agents.agent('failing', []);
  agents.agent('reset', [callOf('look'), 'One.', 'Two.'], { tools: [look] });
  agents.agent('chatty', ['First.', 'Second.']);
  const risky = aTool('risky', () => Promise.resolve('done'), { needsApproval: true });
  const clerk = defineAgent({ id: 'clerk', model: 'clerk/one', tools: [risky] });
  agents.providers['clerk'] = scriptedModel([callOf('risky'), 'The clerk is done.']);
  agents.agent(
    'boss',
    [
      {
        toolCalls: [
          { name: 'clerk', args: { input: 'Do it.' } },
          { name: 'gate', args: {} },
        ],
      },
      'All is done.',
    ],
    { tools: [subAgent(clerk, { name: 'clerk', description: 'Does it' }), sibling.tool] },
  );

  beforeAll(async () => {
    harness = await openHarness();
    const { connection } = harness.longhaul.client;
    const counted = counting(connection);
    counts = counted.counts;
    longhaul = await connect({
      connection: counted.connection,
      taskQueue: harness.taskQueue,
      deltas,
    });
    await harness.deploy({ runners: agents.runners, providers: agents.providers, deltas });
  });
  afterAll(async () => {
    await longhaul.close();
    await harness.close();
    await deltas.close();
  });

  it('tells the turns, calls and results of an agent, and how it ended', async () => {
    const run = await longhaul.start('plain', 'Look around.');
    const events = await read(run.stream());
    expect(typesOf(events)).toEqual([
      'user',
      'step-begin',
      'call-begin',
      'call',
      'step-end',
      'result',
      'step-begin',
      'step-end',
      'end',
    ]);
    const said = events.flatMap((event) => (event.type === 'text' ? [event.delta] : []));
    expect(said.join('')).toBe(text);
    expect(events.at(-1)).toMatchObject({
      status: 'completed',
      result: { text, completionReason: 'text response', usage: { totalTokens: 30 } },
    });

    // From every position, the rest is the same, but for the step in progress.
    const whole = joined(events);
    for (const [at, { position }] of events.slice(0, -1).entries()) {
      const rest = await read(run.stream({ from: position }));
      expect(joined([...events.slice(0, at + 1), ...rest])).toEqual(whole);
      expect(rest.filter(({ type }) => type === 'result').length).toBeLessThanOrEqual(1);
    }
  });

  it('writes no history, and asks the run once for all streams', async () => {
    const [watched, unwatched] = await Promise.all([
      longhaul.start('watched', 'Look around.'),
      longhaul.start('unwatched', 'Look around.'),
    ]);
    const before = counts['queryWorkflow'] ?? 0;
    const streams = await Promise.all(Array.from({ length: 20 }, () => read(watched.stream())));
    // The state and the log, for each workflow task that a round finds, and once more for the last one.
    expect((counts['queryWorkflow'] ?? 0) - before).toBeLessThanOrEqual(16);
    for (const events of streams) expect(joined(events)).toEqual(joined(streams[0] ?? []));
    await unwatched.result();
    const typesIn = async (workflowId: string): Promise<unknown[]> =>
      (await fetchHistory(longhaul, workflowId)).map(({ eventType }) => eventType);
    expect(await typesIn(watched.workflowId)).toEqual(await typesIn(unwatched.workflowId));
  });

  it('pauses when nothing else of the tree works, and tells children before their results', async () => {
    const run = await longhaul.start('boss', 'Go.');
    const events: StreamEvent[] = [];
    for await (const event of run.stream({ tree: true })) {
      events.push(event);
      if (event.type === 'input') sibling.open();
      if (event.type === 'paused') {
        expect(event.pending).toMatchObject([{ kind: 'approval', path: 'boss/clerk' }]);
        await run.approve(event.pending[0]?.inputId ?? '');
      }
    }
    const told = events.map(({ agent, type }) => `${agent} ${type}`);
    const indexOf = (what: string): number => told.indexOf(what);
    expect(indexOf('boss result')).toBeGreaterThan(indexOf('boss input'));
    expect(indexOf('boss paused')).toBeGreaterThan(indexOf('boss result'));
    expect(indexOf('boss input-end')).toBeGreaterThan(indexOf('boss paused'));
    expect(indexOf('clerk verdict')).toBeGreaterThan(indexOf('boss paused'));
    expect(indexOf('clerk end')).toBeLessThan(told.lastIndexOf('boss result'));
    expect(events.find(({ type, agent }) => type === 'end' && agent === 'clerk')).toMatchObject({
      path: 'boss/clerk',
      root: run.workflowId,
      result: { text: 'The clerk is done.' },
    });
    expect(events.at(-1)).toMatchObject({ type: 'end', result: { text: 'All is done.' } });
    // A late stream gets the tree in the same order.
    const late = await read(run.stream({ tree: true }));
    const inLog = ['user', 'step-end', 'verdict', 'result', 'end'];
    const own = (list: readonly StreamEvent[], agent: string): unknown[] =>
      joined(list.filter((event) => event.agent === agent && inLog.includes(event.type)));
    for (const agent of ['boss', 'clerk']) expect(own(late, agent)).toEqual(own(events, agent));
    expect(late.findIndex(({ type, agent }) => type === 'end' && agent === 'clerk')).toBeLessThan(
      late.findLastIndex(({ type, agent }) => type === 'result' && agent === 'boss'),
    );
  });

  it('tells open inputs to each stream, and goes on after an answer', async () => {
    const run = await longhaul.start('asking', 'Ask.');
    const first = await read(run.stream(), 'paused');
    expect(first.at(-1)).toMatchObject({ pending: [{ question: 'Red or blue?' }] });
    const again = await read(run.stream({ from: first.at(-1)?.position ?? '' }), 'paused');
    expect(typesOf(again)).toEqual(['input', 'paused']);
    const rest = read(run.stream({ from: first.at(-1)?.position ?? '' }));
    await run.resume('blue');
    const types = typesOf(await rest);
    expect(types.filter((type) => !['input', 'paused', 'input-end'].includes(type))).toEqual([
      'verdict',
      'result',
      'step-begin',
      'step-end',
      'end',
    ]);
    expect(types).toContain('input-end');
  });

  it('ends with the error of the run', async () => {
    const failing = await longhaul.start('failing', 'Fail.');
    expect((await read(failing.stream())).at(-1)).toMatchObject({
      type: 'end',
      status: 'failed',
      error: { code: 'ProviderError' },
    });
    const asking = await longhaul.start('given-up', 'Ask.');
    const events = read(asking.stream());
    await asking.cancel('not needed');
    expect((await events).at(-1)).toMatchObject({
      status: 'cancelled',
      error: { code: 'RunCancelled', message: 'not needed' },
    });
    const missing = longhaul.run('no-such-run').stream();
    await expect(read(missing)).rejects.toMatchObject({ code: 'RunNotFound' });
    expect(() => failing.stream({ from: 'forged' })).toThrow(/^from must be the position/);
  });

  it('ends when somebody resets the run', async () => {
    const run = await longhaul.start('reset', 'Go.');
    const events = await read(run.stream());
    const position = events.at(-1)?.position ?? '';
    await run.reset({ to: 2 });
    await run.result();
    await expect(read(run.stream({ from: position }))).rejects.toMatchObject({ code: 'StreamCut' });
    const anew = await read(run.stream());
    expect(anew.at(-1)).toMatchObject({ type: 'end', result: { text: 'Two.' } });
  });

  it('waits for the start of a queued turn', async () => {
    const thread = longhaul.thread({ agent: 'chatty', sessionId: `chat-${Date.now()}` });
    const first = await thread.send('One');
    const second = await thread.send('Two');
    const [, events] = await Promise.all([first.result(), read(second.stream())]);
    expect(events[0]).toMatchObject({ type: 'user', path: 'chatty/turn-2' });
    expect(events.at(-1)).toMatchObject({ result: { text: 'Second.' } });
  });

  it('says that no worker answers, and goes on with the next one', async () => {
    const own = await openHarness(undefined, 'stalled');
    try {
      const agent = defineAgent({ id: 'stalled', model: 'stalled/one', askUser: 'tool' });
      const options = {
        runners: [agent],
        providers: { stalled: scriptedModel([askUser('Still there?'), 'Good.']) },
      };
      const worker = await own.worker(options);
      const run = await own.longhaul.start('stalled', 'Go.');
      const events: string[] = [];
      for await (const event of run.stream()) {
        events.push(event.type);
        if (event.type === 'paused') {
          await worker.stop();
          await own.longhaul.client.workflow
            .getHandle(run.workflowId)
            .signal('resume', { answer: 'yes' });
        }
        if (event.type === 'stalled') await own.worker(options);
      }
      expect(events.filter((type) => type === 'stalled')).toHaveLength(1);
      const after = events.slice(events.indexOf('stalled'));
      // A look reads the state before the log, so the log may be further on than the list of open inputs.
      expect(after.filter((type) => type !== 'input-end')).toEqual([
        'stalled',
        'verdict',
        'result',
        'step-begin',
        'text',
        'step-end',
        'end',
      ]);
      expect(after.indexOf('input-end')).toBeGreaterThan(after.indexOf('result'));
    } finally {
      await own.close();
    }
  });
});
