// Messages to an agent that works: when its model gets them, what they cut, and what happens to those that come late.

import { randomUUID } from 'node:crypto';
import { defineAgent, sequential, subAgent } from '../../src';
import type { RunHandle } from '../../src/client';
import { limits } from '../../src/protocol/limits';
import type { ModelRequest } from '../../src/providers/provider';
import type { ModelProvider } from '../../src/worker';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { aTool, askUser, callOf } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { continueAsNew, fetchHistory } from './history';

/** A door that a tool or a model waits at. */
function gate() {
  let open = (): void => undefined;
  let arrived = 0;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    open: () => open(),
    wait: async (): Promise<string> => {
      arrived += 1;
      await opened;
      return 'through';
    },
    get arrived() {
      return arrived;
    },
  };
}

/** Answers from the script; the first calls hang until they are aborted. */
function cutModel(hanging: number, steps: readonly ScriptedStep[]) {
  const scripted = scriptedModel(steps);
  const model = {
    name: 'scripted',
    calls: 0,
    aborted: 0,
    requests: [] as ModelRequest[],
    call: async (request: ModelRequest, options: Parameters<ModelProvider['call']>[1]) => {
      model.calls += 1;
      model.requests.push(request);
      if (model.calls > hanging) return await scripted.call(request, options);
      return await new Promise<never>((_resolve, reject) => {
        options.signal.addEventListener('abort', () => {
          model.aborted += 1;
          reject(options.signal.reason as Error);
        });
      });
    },
  };
  return model;
}

describe('a message to a run that works', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function start(
    steps: readonly ScriptedStep[],
    options: object = {},
  ): Promise<{ run: RunHandle; model: ReturnType<typeof scriptedModel> }> {
    const model = scriptedModel(steps);
    const agent = defineAgent({ id: 'worker', model: 'scripted/one', ...options });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    return { run: await harness.longhaul.start(agent.id, 'Begin.'), model };
  }

  it('waits for the results of a turn, keeps its order, and counts once', async () => {
    const door = gate();
    const tools = [aTool('look', () => door.wait())];
    const { run, model } = await start([callOf('look'), 'Done.'], { tools });
    await eventually('the tool', () => door.arrived === 1);
    const by = { id: 'ada', name: 'Ada' };
    await run.send('First.', { messageId: 'm-1', by });
    await run.send('Second.', { when: 'now' });
    expect(await run.send('First.', { messageId: 'm-1' })).toEqual({ messageId: 'm-1' });
    door.open();
    expect((await run.result()).finalResponse.text).toBe('Done.');
    const said = ['Begin.', '→ look {}', '← look through', 'First.', 'Second.'];
    expect(linesOf(model.requests[1]?.messages ?? [])).toEqual(said);
    expect(linesOf(await run.transcript())).toEqual([...said, 'Done.']);
    const log = await run.log();
    expect(log.find((entry) => entry.kind === 'user' && entry.by)).toMatchObject({
      messageId: 'm-1',
      by,
    });
    await expect(run.send('Too late.')).rejects.toMatchObject({ code: 'RunClosed' });
  });

  it('costs the five events of an update, and the first one two more for its marker', async () => {
    const door = gate();
    const { run } = await start([() => door.wait().then(() => 'First.'), 'Done.']);
    await eventually('the call', () => door.arrived === 1);
    const before = await fetchHistory(harness.longhaul, run.workflowId);
    await run.send('Use the staging account.', { by: { id: 'ada' } });
    const after = await fetchHistory(harness.longhaul, run.workflowId);
    expect(after.slice(before.length).map(({ eventType }) => Number(eventType))).toEqual([
      5, 6, 7, 41, 25, 40, 43,
    ]);
    door.open();
    await run.result();
  });

  it('cuts the model call in progress with `now`, and the call is made again with the text', async () => {
    const model = cutModel(2, ['Done.']);
    const agent = defineAgent({ id: 'worker', model: 'scripted/one' });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.start(agent.id, 'Begin.');
    await eventually('the call', () => model.calls === 1);
    await run.send('Stop, do this.', { when: 'now' });
    await eventually('the second call', () => model.calls === 2);
    await run.send('No, that.', { when: 'now' });
    const { finalResponse, usage } = await run.result();
    expect(finalResponse.text).toBe('Done.');
    // A cut call counts as much as its prompt seems to take.
    expect(usage.totalTokens).toBeGreaterThan(15 + 2 * 10);
    expect(linesOf(model.requests[2]?.messages ?? [])).toEqual([
      'Begin.',
      'Stop, do this.',
      'No, that.',
    ]);
    await eventually('the aborts', () => model.aborted === 2);
  });

  it('does not cut a turn more often than its limit', async () => {
    const model = cutModel(limits.cutCalls + 1, ['Done.']);
    const agent = defineAgent({ id: 'worker', model: 'scripted/one' });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.start(agent.id, 'Begin.');
    for (let calls = 1; calls <= limits.cutCalls; calls += 1) {
      await eventually('a call', () => model.calls === calls);
      await run.send(`Message ${calls}.`, { when: 'now' });
    }
    await eventually('the last call', () => model.calls === limits.cutCalls + 1);
    await run.send('One too many.', { when: 'now' });
    expect(await run.state()).toMatchObject({ status: 'running', turn: 1 });
    await eventually('the aborts', () => model.aborted === limits.cutCalls);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
  });

  it('makes one more turn of a final answer, and one that finds no turn left is named', async () => {
    const door = gate();
    const steps = [
      async () => (await door.wait(), 'First answer.'),
      async () => (await late.wait(), 'Second answer.'),
    ];
    const late = gate();
    const { run } = await start(steps, { maxTurns: 2 });
    await eventually('the first call', () => door.arrived === 1);
    await run.send('And the price?');
    door.open();
    await eventually('the second call', () => late.arrived === 1);
    await run.send('And the date?', { messageId: 'too-late' });
    late.open();
    const result = await run.result();
    expect(result.finalResponse.text).toBe('Second answer.');
    expect(linesOf(await run.transcript())).toEqual([
      'Begin.',
      'First answer.',
      'And the price?',
      'Second answer.',
    ]);
    const { rejected } = await run.state();
    expect(rejected).toMatchObject([
      { signal: 'send', code: 'RunClosed', message: expect.stringContaining("'too-late'") },
    ]);
  });

  it('never answers a question, and comes after its answer', async () => {
    const { run, model } = await start([askUser('Which one?'), 'Done.'], { askUser: 'tool' });
    await run.outcome();
    await run.send('b');
    expect(await run.state()).toMatchObject({ status: 'needs-input', pauseSeq: 1 });
    await run.resume('a');
    await run.result();
    expect(linesOf(model.requests[1]?.messages ?? []).slice(-2)).toEqual(['← ask_user a', 'b']);
  });

  it('asks for more budget first, and keeps the answer if nobody gives it', async () => {
    const door = gate();
    const budget = { maxTokens: 10, onExceeded: 'ask' as const };
    const { run } = await start([async () => (await door.wait(), 'The answer.')], { budget });
    await eventually('the call', () => door.arrived === 1);
    await run.send('And more?');
    door.open();
    expect(await run.outcome()).toMatchObject({
      kind: 'needs-input',
      pending: [{ kind: 'budget' }],
    });
    await run.resume('stop');
    expect(await run.outcome()).toMatchObject({
      kind: 'complete',
      result: { finalResponse: { text: 'The answer.' } },
    });
    expect((await run.state()).rejected).toHaveLength(1);
  });

  it('waits unread through continue-as-new, with its id', async () => {
    const { run, model } = await start([askUser('Which one?'), 'Done.'], { askUser: 'tool' });
    await run.outcome();
    await run.send('Remember this.', { messageId: 'm-1' });
    await continueAsNew(harness.longhaul, run);
    await run.send('Remember this.', { messageId: 'm-1' });
    await run.send('And this.');
    await run.resume('a');
    await run.result();
    expect(linesOf(model.requests[1]?.messages ?? []).slice(-3)).toEqual([
      '← ask_user a',
      'Remember this.',
      'And this.',
    ]);
    // The audit has the times at which the run took them, before the answer.
    const entries = await run.audit();
    expect(entries).toMatchObject([
      { kind: 'start' },
      { kind: 'message', text: 'Remember this.' },
      { kind: 'message', text: 'And this.' },
      { kind: 'verdict', verdict: 'answer' },
    ]);
    expect(new Set(entries.map(({ at }) => at)).size).toBe(4);
  });

  it('is refused beyond the room of a run, and the model gets all that was taken', async () => {
    const door = gate();
    const { run, model } = await start([() => door.wait().then(() => 'First.'), 'Done.']);
    await eventually('the call', () => door.arrived === 1);
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    const texts = Array.from({ length: 1_000 }, (_, index) => `Message ${index}.`);
    await Promise.all(
      texts.map((text, index) => handle.signal('steer', { messageId: `m-${index}`, text })),
    );
    await expect(run.send('One more.')).rejects.toMatchObject({ code: 'RunFull' });
    expect((await run.state()).rejected).toMatchObject(
      Array.from({ length: 20 }, () => ({ signal: 'steer', code: 'RunFull' })),
    );
    door.open();
    await run.result();
    const said = linesOf(model.requests[1]?.messages ?? []).slice(2);
    expect(said).toHaveLength(limits.unreadMessages);
    expect(said.every((text) => texts.includes(text))).toBe(true);
    expect(new Set(said).size).toBe(said.length);
  });

  it('goes to an agent below by its path; an orchestration refuses it', async () => {
    const door = gate();
    const below = scriptedModel([async () => (await door.wait(), 'Found.'), 'Found more.']);
    const above = scriptedModel([callOf('helper', { input: 'Find.' }), 'Done.']);
    const helper = defineAgent({ id: 'helper', model: 'below/one' });
    const boss = defineAgent({
      id: 'boss',
      model: 'above/one',
      tools: [subAgent(helper, { name: 'helper', description: 'Finds' })],
    });
    const all = sequential({ id: 'all', steps: [boss] });
    await harness.deploy({ runners: [all], providers: { below, above } });
    const run = await harness.longhaul.start('all', 'Begin.');
    await eventually('the call', () => door.arrived === 1);
    await expect(run.send('Hello?')).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining('orchestration') as string,
    });
    await expect(run.send('Hello?', { path: 'all/nobody' })).rejects.toMatchObject({
      code: 'RunNotFound',
      message: expect.stringContaining('boss') as string,
    });
    const paths = pathsOf(await run.tree());
    await run.send('Look again.', { path: paths.at(-1) ?? '' });
    door.open();
    await run.result();
    expect(linesOf(below.requests[1]?.messages ?? []).slice(-2)).toEqual(['Found.', 'Look again.']);
  });

  it('comes too late for a run that is cancelled while it loads', async () => {
    await start(['Done.']);
    // Nobody knows this agent, so the run loads until it is cancelled.
    const run = await harness.longhaul.start('unknown', 'Begin.');
    const sent = expect(run.send('Hello')).rejects.toMatchObject({ code: 'RunClosed' });
    await eventually('the run has the message', async () => {
      const events = await fetchHistory(harness.longhaul, run.workflowId);
      return events.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
    });
    await run.cancel();
    await sent;
  });

  it('is checked whole', async () => {
    const { run } = await start([askUser('Which one?'), 'Done.'], { askUser: 'tool' });
    await run.outcome();
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    const good = { messageId: 'm-1', text: 'Hello' };
    const forged: unknown[] = [
      null,
      'Hello',
      [good],
      {},
      { ...good, text: '' },
      { ...good, text: 7 },
      { ...good, text: 'x'.repeat(limits.answer + 1) },
      { ...good, messageId: '' },
      { ...good, messageId: 'a\nb' },
      { ...good, messageId: 'x'.repeat(201) },
      { ...good, when: 'later' },
      { ...good, by: 'ada' },
      { ...good, by: { id: 'ada', admin: true } },
      { ...good, whenBusy: 'queue' },
    ];
    for (const payload of forged) {
      await expect(handle.executeUpdate('send', { args: [payload] })).rejects.toMatchObject({
        cause: { type: 'InvalidInput' },
      });
      await handle.signal('steer', payload);
    }
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    const updates = events.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
    // The one that waited for the pause.
    expect(updates).toHaveLength(1);
    expect((await run.state()).rejected).toHaveLength(forged.length);
    await run.resume('a');
    await run.result();
    expect(linesOf(await run.transcript())).not.toContain('Hello');
  });
});

type Tree = Awaited<ReturnType<RunHandle['tree']>>;
const pathsOf = ({ path, children }: Tree): string[] => [path, ...children.flatMap(pathsOf)];

describe('a message to a thread that is busy', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function open(steps: readonly ScriptedStep[], options: object = {}) {
    const model = scriptedModel(steps);
    const agent = defineAgent({ id: 'talker', model: 'scripted/one', ...options });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const sessionId = randomUUID();
    return { model, thread: harness.longhaul.thread({ agent: 'talker', sessionId }) };
  }

  it('steers the running turn, and the thread remembers it with that turn', async () => {
    const door = gate();
    const { model, thread } = await open([
      async () => (await door.wait(), 'One.'),
      'Two.',
      'Three.',
    ]);
    const turn = await thread.send('Begin.');
    const early = await thread.send('Also this.', { whenBusy: 'steer', messageId: 'm-1' });
    expect([early.turn, early.workflowId]).toEqual([turn.turn, turn.workflowId]);
    await eventually('the call', () => door.arrived === 1);
    await thread.send('And that.', { whenBusy: 'steer' });
    door.open();
    expect((await early.result()).finalResponse.text).toBe('Two.');
    expect((await thread.send('Also this.', { messageId: 'm-1' })).turn).toBe(1);
    const next = await thread.send('More.', { whenBusy: 'steer' });
    expect([next.turn, (await next.result()).finalResponse.text]).toEqual([2, 'Three.']);
    expect(linesOf(model.requests.at(-1)?.messages ?? [])).toEqual([
      'Begin.',
      'Also this.',
      'And that.',
      'Two.',
      'More.',
    ]);
    expect(await thread.turns()).toMatchObject([
      {
        user: [{ text: 'Begin.' }, { text: 'Also this.' }, { text: 'And that.' }],
        steeredParts: 2,
      },
      { user: 'More.' },
    ]);
  });

  it('becomes the next turn if the running one has no turn left for it', async () => {
    const door = gate();
    const { thread } = await open([async () => (await door.wait(), 'One.'), 'Two.'], {
      maxTurns: 1,
    });
    const turn = await thread.send('Begin.');
    await eventually('the call', () => door.arrived === 1);
    const steering = await thread.send('Also this.', { whenBusy: 'steer', messageId: 'm-1' });
    expect(steering.turn).toBe(1);
    door.open();
    expect(await turn.result()).toMatchObject({
      finalResponse: { text: 'One.' },
    });
    await eventually('the next turn', async () => (await thread.turns()).length === 2);
    const [, next] = await thread.turns();
    if (next === undefined) throw new Error('no turn');
    expect(next).toMatchObject({ turn: 2, messageId: 'm-1', user: 'Also this.' });
    expect((await thread.turn(next).result()).finalResponse.text).toBe('Two.');
  });

  it('ends with a turn that somebody cancels', async () => {
    const door = gate();
    const { thread } = await open([() => door.wait(), 'Two.']);
    const turn = await thread.send('Begin.');
    await eventually('the call', () => door.arrived === 1);
    await thread.send('Also this.', { whenBusy: 'steer', messageId: 'm-1' });
    await turn.cancel();
    door.open();
    await expect(turn.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    expect(await thread.turns()).toMatchObject([{ status: 'cancelled' }]);
  });
});
