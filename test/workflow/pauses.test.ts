// Questions and approvals: who may answer, once, and what everybody else is told.

import { defineAgent, defineTool, parallel } from '../../src';
import type { RunHandle } from '../../src/client';
import { limits } from '../../src/protocol/limits';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  needsApproval: true,
  execute: ({ amount }) => ({ refunded: amount }),
});

describe('pauses', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function start(
    steps: readonly ScriptedStep[],
    options: object = { askUser: 'tool' },
  ): Promise<RunHandle> {
    const agent = defineAgent({ id: 'asker', model: 'scripted/one', tools: [refund], ...options });
    await harness.deploy({ runners: [agent], providers: { scripted: scriptedModel(steps) } });
    return await harness.longhaul.start(agent.id, 'Help me.');
  }

  it('is over when its run is terminated: nothing is asked any more, and whoever follows it is let go', async () => {
    const run = await start([askUser('Which one?')]);
    await run.outcome();
    const indices: number[] = [];
    const followed = (async () => {
      for await (const { index } of run.events()) indices.push(index);
    })();
    await harness.longhaul.client.workflow.getHandle(run.workflowId).terminate('enough');
    await followed;
    expect(indices).toEqual([0, 1]);
    expect(await run.state()).toMatchObject({ status: 'failed', pauseSeq: 1, pending: [] });
    expect(await run.tree()).toMatchObject({ status: 'failed', pending: [] });
    const closed = { code: 'RunClosed', message: 'the run was terminated: enough' };
    await expect(run.outcome()).rejects.toMatchObject(closed);
    await expect(run.result()).rejects.toMatchObject(closed);
    for (const options of [{}, { inputId: 'q1.0' }])
      await expect(run.resume('a', options)).rejects.toMatchObject({
        code: 'RunClosed',
        message: expect.stringContaining('it is failed') as string,
      });
  });

  it('tells three questions without end at once, cut, and goes on with their answers', async () => {
    const question = 'x'.repeat(700_000);
    const branch = (id: string) => defineAgent({ id, model: 'scripted/one', askUser: 'tool' });
    const all = parallel({ id: 'all', branches: ['one', 'two', 'three'].map(branch) });
    const steps = [
      askUser(question),
      askUser(question),
      askUser(question),
      'Done.',
      'Done.',
      'Done.',
    ];
    await harness.deploy({ runners: [all], providers: { scripted: scriptedModel(steps) } });
    const run = await harness.longhaul.start('all', 'Help me.');
    await eventually('all have asked', async () => (await run.pending()).length === 3);
    const outcome = await run.outcome();
    if (outcome.kind !== 'needs-input') throw new Error('no pause');
    expect(outcome.pending.map((input) => input.question.length <= limits.question)).toEqual([
      true,
      true,
      true,
    ]);
    for (const { inputId } of outcome.pending) await run.resume('This one.', { inputId });
    expect(await run.result()).toMatchObject({ completionReason: 'all branches completed' });
  });

  it('asks by tool, waits, and goes on with the answer as the result of the call', async () => {
    const run = await start([askUser('Which one?', ['a', 'b']), 'You chose b.']);
    const outcome = await run.outcome();
    expect(outcome).toMatchObject({
      kind: 'needs-input',
      inputId: 'q1.0',
      question: 'Which one?',
      options: ['a', 'b'],
      agentId: 'asker',
      path: 'asker',
      pending: [{ inputId: 'q1.0', kind: 'question' }],
    });
    expect(await run.state()).toMatchObject({ status: 'needs-input', pauseSeq: 1 });
    await run.resume('b');
    expect(await run.outcome()).toMatchObject({
      kind: 'complete',
      result: { finalResponse: { text: 'You chose b.' }, iterations: 0 },
    });
    expect((await run.transcript())[2]).toMatchObject({
      role: 'tool',
      parts: [{ content: [{ type: 'text', text: 'b' }] }],
    });
  });

  it('asks by marker and takes the answer as the next user message', async () => {
    const run = await start([' __ask_user__: What is your name? ', 'Hello Ada.'], {
      askUser: 'marker',
    });
    expect(await run.outcome()).toMatchObject({
      kind: 'needs-input',
      question: 'What is your name?',
    });
    await run.resume('Ada');
    expect(await run.outcome()).toMatchObject({ kind: 'complete' });
    expect((await run.transcript())[2]).toEqual({
      role: 'user',
      parts: [{ type: 'text', text: 'Ada' }],
    });
  });

  it('pauses again for a second question', async () => {
    const run = await start([askUser('First?'), askUser('Second?'), 'Done.']);
    expect(await run.outcome()).toMatchObject({ question: 'First?' });
    await run.resume('one');
    expect(await run.outcome()).toMatchObject({ question: 'Second?' });
    expect(await run.state()).toMatchObject({ pauseSeq: 2 });
    await run.resume('two');
    expect(await run.outcome()).toMatchObject({ kind: 'complete' });
  });

  it('takes the first of two different answers and an honest retry of it', async () => {
    const run = await start([askUser('Which?'), askUser('And then?'), 'Done.']);
    await run.outcome();
    const answers = await Promise.allSettled(
      ['a', 'b', 'a', 'c', 'a'].map((answer) => run.resume(answer, { inputId: 'q1.0' })),
    );
    const accepted = answers.filter((answer) => answer.status === 'fulfilled');
    const refused = answers
      .filter((answer) => answer.status === 'rejected')
      .map((answer) => (answer.reason as { code: string }).code);
    expect(accepted.length + refused.length).toBe(5);
    expect(new Set(refused)).toEqual(new Set(['AlreadyAnswered']));
    expect([1, 3]).toContain(accepted.length);
    await run.outcome();
    const [, , answered] = await run.transcript();
    expect(answered).toMatchObject({ role: 'tool', parts: [{ isError: false }] });
    expect(answered?.parts).toHaveLength(1);
  });

  it('serves many who wait for one pause', async () => {
    const run = await start([askUser('Which?'), 'Done.']);
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => run.outcome()));
    expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(new Set(['needs-input']));
  });

  it.each([
    { name: 'an empty answer', answer: '  ', code: 'InvalidAnswer' },
    { name: 'an oversized answer', answer: 'x'.repeat(70_000), code: 'InvalidAnswer' },
    { name: 'null', answer: null, code: 'InvalidAnswer' },
    { name: 'an unknown input', answer: 'a', inputId: 'nope', code: 'NotWaiting' },
  ])('refuses $name and keeps waiting', async ({ answer, inputId, code }) => {
    const run = await start([askUser('Which?'), 'Done.']);
    await run.outcome();
    await expect(
      run.resume(answer, inputId === undefined ? {} : { inputId }),
    ).rejects.toMatchObject({ code });
    expect(await run.state()).toMatchObject({
      status: 'needs-input',
      pending: [{ inputId: 'q1.0' }],
    });
  });

  it('refuses to resume what does not wait: unknown, running, finished', async () => {
    const run = await start([{ delayMs: 400, text: 'Done.' }]);
    await expect(harness.longhaul.run('no-such-run').resume('a')).rejects.toMatchObject({
      code: 'RunNotFound',
    });
    await expect(run.resume('a', { inputId: 'q1.0' })).rejects.toMatchObject({
      code: 'NotWaiting',
    });
    await run.outcome();
    await expect(run.resume('a', { inputId: 'q1.0' })).rejects.toMatchObject({ code: 'RunClosed' });
    await expect(run.resume('a')).rejects.toMatchObject({ code: 'RunClosed' });
  });

  it('takes an answer by signal, and shows a bad signal without harm', async () => {
    const run = await start([askUser('Which?'), 'Done.']);
    await run.outcome();
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    for (const bad of [42, null, { answer: '' }, { answer: 'a', inputId: 'nope' }, []])
      await handle.signal('resume', bad);
    await eventually('five refused signals', async () => (await run.state()).rejected.length === 5);
    expect(await run.state()).toMatchObject({ status: 'needs-input' });
    expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
      currentDetails: expect.stringContaining('Last refused signal: ') as string,
    });
    await handle.signal('resume', 'by signal');
    expect(await run.outcome()).toMatchObject({ kind: 'complete' });
    expect(JSON.stringify(await run.transcript())).toContain('by signal');
  });

  it('fails with InputTimeout when nobody answers in time', async () => {
    const run = await start([askUser('Which?'), 'Done.'], { askUser: 'tool', inputTimeout: '1s' });
    await expect(run.result()).rejects.toMatchObject({ code: 'InputTimeout' });
  });

  it('answers by itself when nobody does and the agent says how', async () => {
    const onInputTimeout = { answer: 'the default' };
    const run = await start([askUser('Which?'), 'Done.'], {
      askUser: 'tool',
      inputTimeout: '1s',
      onInputTimeout,
    });
    await run.outcome();
    await run.result();
    expect(JSON.stringify(await run.transcript())).toContain('the default');
  });

  it('lets a call run once it is approved, with edited arguments', async () => {
    const run = await start(
      [{ toolCalls: [{ name: 'refund', args: { amount: 100 } }] }, 'Refunded.'],
      {},
    );
    const outcome = await run.outcome();
    expect(outcome).toMatchObject({
      kind: 'needs-input',
      pending: [{ kind: 'approval', call: { name: 'refund', args: { amount: 100 } } }],
    });
    if (outcome.kind !== 'needs-input') throw new Error('not waiting');
    await expect(run.resume('yes')).rejects.toMatchObject({ code: 'InvalidAnswer' });
    await run.approve(outcome.inputId, { args: { amount: 40 } });
    await run.outcome();
    const result = JSON.stringify((await run.transcript())[2]);
    expect(result).toContain('"refunded":40');
  });

  it('tells the model why a call was rejected', async () => {
    const run = await start(
      [{ toolCalls: [{ name: 'refund', args: { amount: 100 } }] }, 'No refund then.'],
      {},
    );
    const outcome = await run.outcome();
    if (outcome.kind !== 'needs-input') throw new Error('not waiting');
    await run.reject(outcome.inputId, 'too much');
    await run.outcome();
    expect(JSON.stringify((await run.transcript())[2])).toContain('too much');
  });

  it('keeps waiting over a restart of its worker', async () => {
    const agent = defineAgent({ id: 'patient', model: 'scripted/one', askUser: 'tool' });
    const options = {
      runners: [agent],
      providers: { scripted: scriptedModel([askUser('Still there?'), 'Yes.']) },
    };
    const other = await openHarness();
    try {
      const first = await other.worker(options);
      const run = await other.longhaul.start(agent.id, 'Wait for me.');
      await run.outcome();
      await first.stop();
      await other.worker(options);
      await run.resume('yes');
      expect(await run.outcome()).toMatchObject({
        kind: 'complete',
        result: { finalResponse: { text: 'Yes.' } },
      });
    } finally {
      await other.close();
    }
  });

  it('never tells who waits of a pause that the answer beside it has ended', async () => {
    const agent = defineAgent({ id: 'prompt', model: 'scripted/one', askUser: 'tool' });
    const options = {
      runners: [agent],
      providers: { scripted: scriptedModel([askUser('Now?'), 'Thank you.']) },
    };
    const other = await openHarness();
    try {
      const first = await other.worker(options);
      const run = await other.longhaul.start(agent.id, 'Wait for me.');
      await run.outcome();
      const [{ inputId } = { inputId: '' }] = await run.pending();
      await first.stop();
      const handle = other.longhaul.client.workflow.getHandle(run.workflowId);
      const reply = handle.executeUpdate('outcome', { updateId: 'outcome:late' });
      await handle.describe();
      const resumed = handle.executeUpdate('resume', { args: [{ inputId, answer: 'yes' }] });
      await handle.describe();
      await other.worker(options);
      await resumed;
      expect(await reply).not.toEqual({ kind: 'needs-input', pending: [] });
    } finally {
      await other.close();
    }
  });
});
