// Messages that a run has not read when it fails, is cancelled, ended from outside or reset.

import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { defineAgent, ProviderError } from '../../src';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { fetchHistory } from '../../src/testing/history';
import { askUser } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

const ask = askUser('Which one?');

describe('a message that is unread', () => {
  let harness: Harness;
  /** Of the test that needs one of its own. */
  let own: Harness | undefined;
  /** Ends the model call of `failing`. */
  let fail: (() => void) | undefined;
  beforeAll(async () => {
    harness = await openHarness();
  });
  beforeEach(() => (fail = undefined));
  afterEach(async () => {
    await own?.close();
    own = undefined;
  });
  afterAll(() => harness.close());

  const failing: ScriptedStep = async () => {
    await new Promise<void>((resolve) => (fail = resolve));
    throw new ProviderError('rejected', 'broken');
  };
  const isCalled = (): boolean => fail !== undefined;

  async function serve(...steps: readonly ScriptedStep[]) {
    const model = scriptedModel(steps);
    const agent = defineAgent({ id: 'talker', model: 'scripted/one', askUser: 'tool' });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    return { model, thread: harness.longhaul.thread({ agent: 'talker', sessionId: randomUUID() }) };
  }

  it.each(['fails', 'is cancelled'])('is named by a run that %s', async (end) => {
    await serve(end === 'fails' ? failing : ask);
    const run = await harness.longhaul.start('talker', 'Begin.');
    if (end === 'fails') await eventually('the call', isCalled);
    else await run.outcome();
    await run.send('Also this.', { messageId: 'm-1' });
    await run.send('And that.', { messageId: 'm-2' });
    if (end === 'fails') fail?.();
    else await run.cancel();
    const code = end === 'fails' ? 'ProviderError' : 'RunCancelled';
    await expect(run.result()).rejects.toMatchObject({ code });
    expect((await run.state()).rejected).toMatchObject([
      {
        signal: 'send',
        code: 'RunClosed',
        message: expect.stringContaining("2 messages 'm-1', 'm-2'") as string,
      },
    ]);
    await expect(run.send('Too late.')).rejects.toMatchObject({ code: 'RunClosed' });
  });

  it('is forgotten by a reset to before it came, and can be sent again; others stay', async () => {
    const { model } = await serve(ask, ask, ask, 'Done.');
    const run = await harness.longhaul.start('talker', 'Begin.');
    await run.outcome();
    await run.send('First.', { messageId: 'm-1' });
    await run.resume('a');
    expect(await run.outcome()).toMatchObject({ inputId: 'q2.0' });
    await run.send('Second.', { messageId: 'm-2' });
    await run.reset({ to: 2 });
    expect(await run.outcome()).toMatchObject({ inputId: 'q1.0' });
    await run.send('Second, again.', { messageId: 'm-2' });
    await run.send('First.', { messageId: 'm-1' });
    await run.resume('a');
    expect(await run.outcome()).toMatchObject({ inputId: 'q2.0' });
    await run.resume('b');
    await run.result();
    expect(linesOf(model.requests.at(-1)?.messages ?? [])).toEqual([
      'Begin.',
      '→ ask_user {"question":"Which one?"}',
      '← ask_user a',
      'First.',
      'Second, again.',
      '→ ask_user {"question":"Which one?"}',
      '← ask_user b',
    ]);
    expect((await run.state()).rejected).toEqual([]);
  });

  it.each([
    { end: 'fails', steps: [failing], status: 'failed', answer: 'Late.' },
    { end: 'is terminated', steps: [ask], status: 'failed', answer: 'Late.' },
    { end: 'is reset', steps: [ask, ask, 'Early.'], status: 'completed', answer: 'Late.' },
  ] as const)(
    'becomes a turn of its own if its turn $end',
    async ({ end, steps, status, answer }) => {
      const { model, thread } = await serve(...steps, answer);
      const turn = await thread.send('Begin.');
      if (end === 'fails') await eventually('the call', isCalled);
      else await turn.outcome();
      const steering = await thread.send('Also this.', { whenBusy: 'steer', messageId: 'm-1' });
      expect(steering.turn).toBe(1);
      if (end === 'fails') fail?.();
      else if (end === 'is reset') {
        await turn.reset({ to: 1 });
        await turn.outcome();
        await turn.resume('a');
      } else {
        await harness.longhaul.client.workflow.getHandle(turn.workflowId).terminate();
      }
      await eventually('the next turn', async () => {
        const [, next] = await thread.turns();
        return next?.status === 'completed';
      });
      expect(await thread.turns()).toMatchObject([
        { turn: 1, user: 'Begin.', status },
        { turn: 2, user: 'Also this.', messageId: 'm-1', assistant: answer },
      ]);
      const last = linesOf(model.requests.at(-1)?.messages ?? []);
      expect(last).toEqual([...(status === 'completed' ? ['Begin.', 'Early.'] : []), 'Also this.']);
    },
  );

  it('becomes a turn if it comes after somebody has cancelled its turn, and others go with it', async () => {
    let end = (): void => undefined;
    const mayEnd = new Promise<void>((resolve) => (end = resolve));
    // The turn knows that it is to be cancelled, and is still open.
    const holding = {
      execute: async (input: unknown, next: (input: never) => Promise<unknown>) => {
        if (Context.current().info.activityType === 'requestCancellation') await mayEnd;
        return await next(input as never);
      },
    };
    own = await openHarness();
    await own.worker({
      runners: [defineAgent({ id: 'talker', model: 'scripted/one', askUser: 'tool' })],
      providers: { scripted: scriptedModel([ask, 'Answered.']) },
      workerOptions: { interceptors: { activity: [() => ({ inbound: holding })] } },
    });
    const thread = own.longhaul.thread({ agent: 'talker', sessionId: randomUUID() });
    const turn = await thread.send('Begin.');
    await turn.outcome();
    await thread.send('Before.', { whenBusy: 'steer' });
    const { client } = own.longhaul;
    await client.workflow.getHandle(turn.workflowId).signal('cancelRun', { reason: 'enough' });
    const given = await thread.send('After.', { whenBusy: 'steer', messageId: 'after' });
    expect(given.turn).toBe(1);
    await expect(turn.send('To nobody.')).rejects.toMatchObject({ code: 'RunClosed' });
    end();
    await eventually('the next turn', async () => {
      const [, next] = await thread.turns();
      return next?.status === 'completed';
    });
    expect(await thread.turns()).toMatchObject([
      { turn: 1, user: 'Begin.', status: 'cancelled' },
      { turn: 2, user: 'After.', messageId: 'after', assistant: 'Answered.' },
    ]);
  });

  it('is with the thread before its turn ends, also if it came while the turn told that it asks nothing more', async () => {
    own = await openHarness();
    const thread = own.longhaul.thread({ agent: 'talker', sessionId: randomUUID() });
    const agent = defineAgent({ id: 'talker', model: 'scripted/one', askUser: 'tool' });
    const scripted = scriptedModel([ask]);
    const setup = { runners: [agent], providers: { scripted }, clearFailures: true } as const;
    let stop = (): void => undefined;
    // The worker ends with the report. So the next one meets its confirmation together with the message.
    const codec: PayloadCodec = {
      encode: (payloads) => {
        if (payloads.some(isLastReport)) stop();
        return Promise.resolve([...payloads]);
      },
      decode: (payloads) => Promise.resolve([...payloads]),
    };
    const dataConverter = { payloadCodecs: [codec] };
    const worker = await own.worker({
      ...setup,
      workerOptions: { dataConverter, maxCachedWorkflows: 0 },
    });
    const turn = await thread.send('Begin.');
    await turn.outcome();
    const stopped = new Promise<void>((resolve) => (stop = () => resolve(worker.stop())));
    await turn.cancel();
    await stopped;
    const run = own.longhaul.client.workflow.getHandle(turn.workflowId);
    await run.signal('steer', { messageId: 'after', text: 'After.' });
    await own.worker(setup);
    await expect(turn.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    const { events } = await fetchHistory(own.longhaul, turn.workflowId);
    const given = events?.find(
      (event) =>
        event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName === 'giveBack',
    );
    const arrived = events?.find((event) => {
      const id = event.externalWorkflowExecutionSignaledEventAttributes?.initiatedEventId;
      return id !== undefined && String(id) === String(given?.eventId);
    });
    expect(arrived).toBeDefined();
  });
});

/** A run tells its thread that it asks nothing. */
function isLastReport({ data }: Payload): boolean {
  return Buffer.from(data ?? [])
    .toString()
    .includes('"inputs":[]');
}
