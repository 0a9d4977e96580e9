// What users test with, on a time-skipping server of its own.

import { defineAgent, defineTool, ProviderError } from '../../src';
import {
  assertNoSecret,
  createTestEnvironment,
  fetchHistory,
  measureHistory,
  replay,
  scriptedModel,
  type ScriptedModel,
  type TestEnvironment,
} from '../../src/testing';
import {
  describeWithTimeSkipping,
  timeSkippingServerPath,
  workflowBundlePath,
  workflowsInThread,
} from '../servers';
import { quietRuntime } from './quiet';

const day = 24 * 3_600_000;

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks something up',
  inputSchema: { type: 'object', properties: {} },
  execute: () => ({ found: true }),
});

describeWithTimeSkipping('createTestEnvironment', () => {
  const environments: TestEnvironment[] = [];
  afterEach(async () => {
    await Promise.all(environments.splice(0).map((test) => test.close()));
  });

  async function open(model: ScriptedModel, options: object = {}): Promise<TestEnvironment> {
    quietRuntime();
    const agent = defineAgent({
      id: 'assistant',
      model: 'scripted/one',
      tools: [lookUp],
      askUser: 'tool',
      ...options,
    });
    const test = await createTestEnvironment({
      runners: [agent],
      providers: { scripted: model },
      serverPath: timeSkippingServerPath(),
      workerOptions: workflowsInThread(),
    });
    environments.push(test);
    return test;
  }

  const asks = { toolCalls: [{ name: 'ask_user', args: { question: 'Which city?' } }] };

  it('gives the outcome of a run that completes', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'look_up' }] }, 'Found.']);
    const test = await open(model);
    const outcome = await test.outcome(await test.client.start('assistant', 'Look it up'));
    expect(outcome).toMatchObject({
      kind: 'complete',
      result: { finalResponse: { text: 'Found.' } },
    });
    model.assertConsumed();
  });

  it('skips the waits between the attempts of a call', async () => {
    const error = new ProviderError('rate_limited', 'slow down', { retryAfterMs: 600_000 });
    const model = scriptedModel([{ error }, { error }, 'At last.']);
    const test = await open(model);
    const before = await test.now();
    const outcome = await test.outcome(await test.client.start('assistant', 'Hello'));
    expect(outcome).toMatchObject({
      kind: 'complete',
      result: { finalResponse: { text: 'At last.' } },
    });
    const waited = (await test.now()).getTime() - before.getTime();
    expect(waited).toBeGreaterThanOrEqual(2 * 600_000);
    expect(waited).toBeLessThan(2.5 * 600_000);
  });

  it('stops at a question, days before its deadline, and goes on after the answer', async () => {
    const model = scriptedModel([asks, 'It is sunny in Oslo.']);
    const test = await open(model, { inputTimeout: '7 days' });
    const before = await test.now();
    const run = await test.client.start('assistant', 'Weather?');
    expect(await test.outcome(run)).toMatchObject({ kind: 'needs-input', question: 'Which city?' });
    expect((await test.now()).getTime() - before.getTime()).toBeLessThan(day);
    await test.skip('6 days');
    expect((await run.state()).status).toBe('needs-input');
    await run.resume('Oslo');
    expect(await test.outcome(run)).toMatchObject({
      kind: 'complete',
      result: { finalResponse: { text: 'It is sunny in Oslo.' } },
    });
  });

  it('lets a deadline pass when the test skips past it', async () => {
    const test = await open(scriptedModel([asks]), { inputTimeout: '7 days' });
    const run = await test.client.start('assistant', 'Weather?');
    await test.outcome(run);
    await test.skip(8 * day);
    await expect(test.outcome(run)).rejects.toMatchObject({ code: 'InputTimeout' });
  });

  it('throws what the run failed with', async () => {
    const error = new ProviderError('auth', 'bad key');
    const test = await open(scriptedModel([{ error }]));
    const run = await test.client.start('assistant', 'Hello');
    await expect(test.outcome(run)).rejects.toMatchObject({
      code: 'ProviderError',
      message: 'bad key',
    });
  });

  it('closes while a call is in flight and its outcome and result are awaited', async () => {
    const model = scriptedModel([{ text: 'never', delayMs: 600_000 }]);
    const test = await open(model);
    const run = await test.client.start('assistant', 'Hello');
    const waits = [test.outcome(run), run.outcome(), run.result()];
    const ended = Promise.allSettled(waits);
    while (model.requests.length === 0) await test.now();
    await test.close();
    await test.close();
    expect(test.worker.getState()).toBe('STOPPED');
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(waits[0]).rejects.toThrow('the test environment was closed');
  });

  describe('history', () => {
    it('is measured, searched for secrets and replayed', async () => {
      const test = await open(scriptedModel([{ toolCalls: [{ name: 'look_up' }] }, 'Found.']));
      const run = await test.client.start('assistant', 'My number is 12345');
      await test.outcome(run);
      const history = await fetchHistory(test.client, run.workflowId);
      const { bytes, events, activities } = measureHistory(history);
      expect(activities).toEqual({ loadDefinition: 1, callModel: 2, callTool: 1 });
      expect(events).toBe(history.events?.length);
      expect(bytes).toBeGreaterThan(2_000);
      expect(() => assertNoSecret(history, 'sk-secret')).not.toThrow();
      expect(() => assertNoSecret(history, 'sk-secret', 'number is 12345')).toThrow(
        /^secret 2 of 2 is in the history: event 1, workflowExecutionStartedEventAttributes\.input/,
      );
      await replay(history, { workflowBundle: { codePath: workflowBundlePath() } });
    });
  });
});
