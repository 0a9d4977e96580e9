// The hooks `onPause` and `checkSignature` of a worker.

import { defineAgent, defineTool, subAgent } from '../../src';
import type { JsonObject } from '../../src/base/json';
import type { RunHandle } from '../../src/client';
import type { PauseNotice } from '../../src/protocol/activities';
import { limits } from '../../src/protocol/limits';
import type { LonghaulOptions } from '../../src/worker';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { askUser, callOf } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import {
  continueAsNew,
  fetchHistory,
  growHistory,
  type HistoryEvents,
  sendRefused,
} from './history';

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } } },
  needsApproval: true,
  execute: ({ amount }) => ({ paid: amount ?? null }),
});

const approvals: readonly ScriptedStep[] = [callOf('pay'), 'Paid.'];

const worker = (
  id: string,
  steps: readonly ScriptedStep[],
  hooks: Pick<LonghaulOptions, 'onPause' | 'checkSignature'>,
): LonghaulOptions => ({
  runners: [defineAgent({ id, model: 'scripted/one', tools: [pay], askUser: 'tool' })],
  providers: { scripted: scriptedModel(steps) },
  ...hooks,
});

/** How many checks were open at a time. */
function mostOpen(events: HistoryEvents): number {
  const open = new Set<string>();
  let most = 0;
  for (const { eventId, ...event } of events) {
    const { activityType } = event.activityTaskScheduledEventAttributes ?? {};
    if (activityType?.name === 'checkSignature') open.add(String(eventId));
    open.delete(String(event.activityTaskCompletedEventAttributes?.scheduledEventId));
    most = Math.max(most, open.size);
  }
  return most;
}

type Call = { readonly key: string; readonly notice: PauseNotice };

/** Keeps its calls. Fails as long as it is told to. */
function recorder(fails: (calls: number) => boolean = () => false) {
  const calls: Call[] = [];
  const onPause: LonghaulOptions['onPause'] = (notice, { idempotencyKey }) => {
    calls.push({ key: idempotencyKey, notice });
    if (fails(calls.length)) throw new Error('the mail server is down');
  };
  return { calls, onPause };
}

const keysOf = (calls: readonly Call[]): number => new Set(calls.map(({ key }) => key)).size;

describe('onPause', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('is called again until it succeeds, with one key, while the run waits', async () => {
    const { calls, onPause } = recorder((count) => count < 3);
    await harness.deploy(worker('asker', [askUser('Which?'), 'Done.'], { onPause }));
    const run = await harness.longhaul.start('asker', 'Go.');
    await run.outcome();
    await eventually('three calls', () => calls.length === 3);
    expect(keysOf(calls)).toBe(1);
    expect(calls[0]?.notice).toMatchObject({
      reason: 'asked',
      workflowId: run.workflowId,
      input: { inputId: 'q1.0', kind: 'question', question: 'Which?', path: 'asker' },
    });
    await run.resume('this');
    await run.result();
    expect(calls).toHaveLength(3);
  });

  it('holds up neither an answer nor the end', async () => {
    const { calls, onPause } = recorder(() => true);
    await harness.deploy(worker('ending', [askUser('Which?'), 'Done.'], { onPause }));
    const run = await harness.longhaul.start('ending', 'Go.');
    await run.outcome();
    await eventually('a call', () => calls.length > 0);
    await run.resume('this');
    expect((await run.result()).finalResponse.text).toBe('Done.');
  });

  it('is called after a continue-as-new for what nobody got before, with the same key', async () => {
    let isDown = true;
    const { calls, onPause } = recorder(() => isDown);
    await harness.deploy(worker('mover', [askUser('Which?'), 'Done.'], { onPause }));
    const run = await harness.longhaul.start('mover', 'Go.');
    await run.outcome();
    await eventually('a call', () => calls.length > 0);
    await continueAsNew(harness.longhaul, run);
    isDown = false;
    const failed = calls.length;
    await eventually('a call after that', () => calls.length > failed);
    expect(keysOf(calls)).toBe(1);
    const told = calls.length;
    await continueAsNew(harness.longhaul, run);
    await run.resume('this');
    await run.result();
    expect(calls).toHaveLength(told);
  });

  it('is called once for each reminder and escalation, whenever the run continues as new', async () => {
    const { calls, onPause } = recorder();
    const slow = defineTool({
      name: 'slow',
      description: 'Waits for people',
      inputSchema: { type: 'object', properties: {} },
      needsApproval: {
        by: { roles: ['finance'] },
        remind: ['1s'],
        escalate: { after: '4s', to: { roles: ['lead'] } },
      },
      execute: () => 'done',
    });
    const runner = defineAgent({ id: 'slow', model: 'scripted/one', tools: [slow] });
    const provider = scriptedModel([callOf('slow'), 'Done.']);
    await harness.deploy({ runners: [runner], providers: { scripted: provider }, onPause });
    const run = await harness.longhaul.start('slow', 'Go.');
    await eventually('the reminder', () => calls.length >= 2);
    await continueAsNew(harness.longhaul, run);
    await eventually('the escalation', () => calls.length >= 3);
    await continueAsNew(harness.longhaul, run);
    const [{ inputId, by } = { inputId: '', by: undefined }] = await run.pending();
    expect(by).toEqual({ roles: ['finance', 'lead'] });
    await run.approve(inputId, { by: { id: 'lou', roles: ['lead'] } });
    await run.result();
    const reasons = calls.map(({ notice }) => notice.reason);
    expect(reasons).toEqual(['asked', 'reminder', 'escalated']);
    expect(keysOf(calls)).toBe(3);
  });

  it('is called once for a pause of a sub-agent, which names the run to answer', async () => {
    const { calls, onPause } = recorder();
    const payer = defineAgent({ id: 'payer', model: 'payer/one', tools: [pay] });
    const manager = defineAgent({
      id: 'manager',
      model: 'manager/one',
      tools: [subAgent(payer, { name: 'payer', description: 'Pays' })],
    });
    await harness.deploy({
      runners: [manager],
      providers: {
        payer: scriptedModel(approvals),
        manager: scriptedModel([callOf('payer', { input: 'Pay.' }), 'All is paid.']),
      },
      onPause,
    });
    const run = await harness.longhaul.start('manager', 'Go.');
    await run.outcome();
    await eventually('the notice', () => calls.length === 1);
    const { workflowId, input } = calls[0]?.notice ?? { workflowId: '', input: undefined };
    expect(input).toMatchObject({ kind: 'approval', path: 'manager/payer' });
    await harness.longhaul.run(workflowId).approve(input?.inputId ?? '');
    await run.result();
    expect([workflowId, calls.length]).toEqual([run.workflowId, 1]);
  });

  it('holds up no reset, after which it is called for the question that is asked again', async () => {
    const { calls, onPause } = recorder(() => true);
    const steps = [askUser('Which?'), askUser('Which?'), 'Done.'];
    await harness.deploy(worker('resetting', steps, { onPause }));
    const run = await harness.longhaul.start('resetting', 'Go.');
    await run.outcome();
    await eventually('a call', () => calls.length > 0);
    await run.reset({ to: 1 });
    await eventually('a call for the new question', () => keysOf(calls) === 2);
    await run.resume('this');
    expect((await run.result()).finalResponse.text).toBe('Done.');
  });

  it('is called again by another worker when its own stops during the call', async () => {
    const other = await openHarness();
    const calls: string[] = [];
    let hangs = true;
    const onPause: LonghaulOptions['onPause'] = async (_notice, { idempotencyKey }) => {
      calls.push(idempotencyKey);
      if (hangs) await new Promise(() => undefined);
    };
    const options = worker('hanging', [askUser('Which?'), 'Done.'], { onPause });
    try {
      const first = await other.worker(options);
      const run = await other.longhaul.start('hanging', 'Go.');
      await eventually('the first call', () => calls.length === 1);
      hangs = false;
      await first.stop();
      await other.worker(options);
      await eventually('another call', () => calls.length === 2);
      expect(new Set(calls).size).toBe(1);
      await run.resume('this');
      await run.result();
    } finally {
      await other.close();
    }
  });
});

describe('checkSignature', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  const ann = { by: { id: 'ann' } };

  it('refuses an answer without the right signature, by update and by signal, and changes nothing', async () => {
    const checkSignature: LonghaulOptions['checkSignature'] = ({ signature, by }) =>
      signature === `signed by ${by?.id}`;
    await harness.deploy(worker('signed', approvals, { checkSignature }));
    const run = await harness.longhaul.start('signed', 'Go.');
    await run.outcome();
    const [before] = await run.pending();
    const inputId = before?.inputId ?? '';
    for (const signature of [undefined, 'signed by bob'])
      await expect(
        run.approve(inputId, { ...ann, ...(signature && { signature }) }),
      ).rejects.toMatchObject({ code: 'NotPermitted' });
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    await handle.signal('answer', { kind: 'approve', inputId, ...ann });
    await eventually('the refused signal', async () => (await run.state()).rejected.length === 1);
    const { rejected, pending } = await run.state();
    expect(rejected).toMatchObject([{ signal: 'answer', code: 'NotPermitted' }]);
    expect(pending).toMatchObject([{ inputId, since: before?.since }]);
    await run.approve(inputId, { ...ann, signature: 'signed by ann' });
    expect((await run.result()).finalResponse.text).toBe('Paid.');
  });

  it('takes the first of two answers that were checked at the same time', async () => {
    const checked: JsonObject[] = [];
    const checkSignature: LonghaulOptions['checkSignature'] = async (answer) => {
      checked.push(answer.kind === 'approve' ? (answer.args ?? {}) : {});
      await eventually('the other answer', () => checked.length === 2);
      return true;
    };
    await harness.deploy(worker('raced', approvals, { checkSignature }));
    const run = await harness.longhaul.start('raced', 'Go.');
    await run.outcome();
    const inputId = (await run.pending())[0]?.inputId ?? '';
    const answers = await Promise.allSettled(
      [1, 2].map((amount) => run.approve(inputId, { args: { amount }, by: { id: `p${amount}` } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = answers.find((answer) => answer.status === 'rejected');
    expect(refused?.reason).toMatchObject({ code: 'AlreadyAnswered' });
    await run.result();
  });

  it('is not asked about a result by token, but about the same result without one', async () => {
    let token = '';
    const job = defineTool({
      name: 'job',
      description: 'Starts a job',
      inputSchema: { type: 'object' },
      result: 'later',
      execute: (_args, { resultToken }) => {
        token = resultToken;
      },
    });
    await harness.deploy({
      runners: [defineAgent({ id: 'jobber', model: 'scripted/one', tools: [job] })],
      providers: { scripted: scriptedModel([callOf('job'), 'Done.']) },
      checkSignature: () => false,
    });
    const run = await harness.longhaul.start('jobber', 'Go.');
    await run.outcome();
    const [{ inputId } = { inputId: '' }] = await run.pending();
    await expect(run.complete(inputId, 1)).rejects.toMatchObject({ code: 'NotPermitted' });
    await harness.longhaul.completeByToken(token, 2);
    expect((await run.result()).finalResponse.text).toBe('Done.');
  });

  it.each([
    { answer: 100, ends: { finalResponse: { text: 'Done.' } } },
    { answer: 'stop', ends: { code: 'BudgetExceeded' } },
  ])('takes $answer for a budget as the run continues as new', async ({ answer, ends }) => {
    const checkSignature: LonghaulOptions['checkSignature'] = async () => {
      await makeItMove(run);
      return true;
    };
    const id = `spender-${answer}`;
    const steps: ScriptedStep[] = [callOf('look'), 'Done.'];
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      inputSchema: { type: 'object' },
      execute: () => 'nothing',
    });
    await harness.deploy({
      runners: [
        defineAgent({ id, model: 'scripted/one', tools: [look], budget: { maxTokens: 1 } }),
      ],
      providers: { scripted: scriptedModel(steps) },
      checkSignature,
    });
    const run = await harness.longhaul.start(id, 'Go.');
    await run.outcome();
    const [asked, more] = await run.pending();
    const { runId } = await run.state();
    await run.resume(answer, { inputId: asked?.inputId ?? '' });
    expect([asked?.kind, more]).toEqual(['budget', undefined]);
    expect(await run.result().catch((error: unknown) => error)).toMatchObject(ends);
    expect((await run.state()).runId).not.toBe(runId);
  });

  /** Its history is long, and it has seen that. */
  async function makeItMove(run: RunHandle): Promise<void> {
    await growHistory(harness.longhaul, run);
    await sendRefused(harness.longhaul, run, 1);
    await eventually('the signals', async () => (await run.state()).rejected.length === 5);
  }

  it('checks a flood of signals a few at a time, and the run goes on', async () => {
    const checkSignature: LonghaulOptions['checkSignature'] = ({ signature }) =>
      signature === 'good';
    await harness.deploy(worker('flooded', approvals, { checkSignature }));
    const run = await harness.longhaul.start('flooded', 'Go.');
    await run.outcome();
    const [{ inputId } = { inputId: '' }] = await run.pending();
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    const args = { text: 'x'.repeat(15_000) };
    const forged = Array.from({ length: 40 }, () =>
      handle.signal('answer', { kind: 'approve', inputId, args }),
    );
    await Promise.all(forged);
    await run.approve(inputId, { signature: 'good' });
    expect((await run.result()).finalResponse.text).toBe('Paid.');
    expect(mostOpen(await fetchHistory(harness.longhaul, run.workflowId))).toBe(
      limits.signatureChecks,
    );
  });

  it('holds in a thread and in the run that asked below it', async () => {
    const asked: string[] = [];
    const checkSignature: LonghaulOptions['checkSignature'] = (
      { signature },
      _input,
      { workflowId },
    ) => {
      asked.push(workflowId);
      return signature === 'good';
    };
    await harness.deploy(worker('talker', approvals, { checkSignature }));
    const thread = harness.longhaul.thread({
      agent: 'talker',
      userId: 'ann',
      sessionId: 's1',
    });
    const turn = await thread.send('Go.');
    await eventually('the pause', async () => (await thread.pending()).length === 1);
    const [{ inputId } = { inputId: '' }] = await thread.pending();
    await expect(thread.approve(inputId, ann)).rejects.toMatchObject({ code: 'NotPermitted' });
    await thread.approve(inputId, { ...ann, signature: 'good' });
    await turn.result();
    expect(new Set(asked).size).toBe(2);
  });
});
