// Workers that do not have the workflows of a run: an older major version, and a changed copy. On the dev server.

import { randomUUID } from 'node:crypto';
import { DeterminismViolationError } from '@temporalio/workflow';
import { defineAgent } from '../../src';
import type { RunState } from '../../src/client';
import { fetchHistory, replay, scriptedModel } from '../../src/testing';
import type { CreateWorkerOptions } from '../../src/worker';
import { runInProcess } from '../e2e/in-process-cli';
import { devServerAddress, workflowBundlePath } from '../servers';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fork, nextMajor } from './next-version';

describe('a worker that does not have the workflow', () => {
  const agent = defineAgent({ id: 'patient', model: 'scripted/one', askUser: 'tool' });
  let harness: Harness;
  beforeEach(async () => {
    process.env['TEMPORAL_ADDRESS'] = devServerAddress();
    harness = await openHarness(undefined, 'other-workers');
  });
  afterEach(() => harness.close());

  function options(): CreateWorkerOptions {
    const script = [askUser('Which one?'), 'That one.'];
    return { runners: [agent], providers: { scripted: scriptedModel(script) } };
  }

  it('leaves a run of a type that it does not know to those who know it', async () => {
    const given = options();
    const ours = await harness.worker(given);
    const workflowId = `future-${randomUUID()}`;
    const { workflow } = harness.longhaul.client;
    const handle = await workflow.start('agentWorkflow2', {
      workflowId,
      taskQueue: harness.taskQueue,
      args: [{ runner: 'patient', input: 'Go.' }],
    });
    await eventually('a failed workflow task', async () => {
      const { raw } = await handle.describe();
      return (raw.pendingWorkflowTask?.attempt ?? 1) > 1;
    });
    const { stderr } = await runInProcess('show', workflowId, '--why');
    expect(stderr).toContain(
      "it is a workflow of type 'agentWorkflow2'. Check the id, or ask with the version that started it",
    );
    await ours.stop();

    await harness.worker({ ...given, workerOptions: nextMajor('agentWorkflow2') });
    await eventually('a question', async () => {
      const state = await handle.query<RunState>('state').catch(() => undefined);
      return state?.pending.length === 1;
    });
    await handle.signal('resume', { answer: 'this one' });
    expect(await handle.result()).toMatchObject({ finalResponse: { text: 'That one.' } });
  });

  it('leaves a run that a changed copy of the workflows began', async () => {
    const given = options();
    const copy = await harness.worker({ ...given, workerOptions: fork() });
    const run = await harness.longhaul.start('patient', 'Go.');
    await run.outcome();
    await copy.stop();
    const history = await fetchHistory(harness.longhaul, run.workflowId);
    const replayed = replay(history, { workflowBundle: { codePath: workflowBundlePath() } });
    await expect(replayed).rejects.toThrow(DeterminismViolationError);
    await expect(replayed).rejects.toThrow(/HistoryEvent\(id: 5, TimerStarted\)/);
    expect(history.events?.[4]?.timerStartedEventAttributes).toBeTruthy();

    const ours = await harness.worker(given);
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    await expect(run.resume('this one')).rejects.toThrow("does not match the run's history");
    // The server itself would refuse the answer after two more attempts, that is after half a minute.
    expect((await handle.describe()).raw.pendingWorkflowTask?.attempt).toBe(3);
    await handle.signal('resume', { answer: 'this one' });
    await eventually('a failed workflow task', async () => {
      const state = await harness.longhaul.run(run.workflowId, { withoutWorker: true }).state();
      return state.waitsFor?.kind === 'deploy' && state.waitsFor.cause === 'nondeterminism';
    });
    const { stdout } = await runInProcess('show', run.workflowId, '--why');
    expect(stdout).toMatch(/^The workers' code does not match its history .*TimerStarted/);
    expect(stdout).toContain('Deploy the version that it began with');
    await ours.stop();

    await harness.worker({ ...given, workerOptions: fork() });
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'That one.' } });
  });
});
