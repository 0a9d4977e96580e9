// Worker Versioning on the dev server: two versions of a worker on one task queue.

import { NativeConnection, Worker } from '@temporalio/worker';
import { defineAgent } from '../../src';
import { checkOpenRuns } from '../../src/cli/doctor/run-checks';
import { LonghaulError } from '../../src/protocol/errors';
import { replay } from '../../src/testing';
import { devServerAddress, workflowBundlePath } from '../servers';
import { eventually } from './eventually';
import { continueAsNew, fetchHistory } from './history';
import { quietRuntime } from './quiet';
import { Versions } from './worker-versions';

describe('Worker Versioning', () => {
  let versions: Versions;
  let elsewhere: { stop(): Promise<void> };
  beforeEach(async () => {
    versions = await Versions.open();
    elsewhere = await otherWorker(versions.otherQueue);
  });
  afterEach(async () => {
    await versions.harness.close();
    await elsewhere.stop();
  });

  const everyCallOf = (version: string): string =>
    `← ask_user yes, ← which ${version}, ← below ← which ${version}, ← other nobody`;

  async function answered(run: Awaited<ReturnType<Versions['waiting']>>): Promise<string> {
    await run.resume('yes');
    return (await run.result()).finalResponse.text;
  }

  it('keeps a pinned run on its version, with the runs below it and their calls', async () => {
    await versions.start('a', { behavior: 'PINNED' });
    await versions.setCurrent('a');
    await versions.start('b', { behavior: 'PINNED' });
    const run = await versions.waiting();
    await versions.setCurrent('b');
    const fresh = await versions.waiting();
    expect(await answered(run)).toBe(everyCallOf('a'));
    expect(await answered(fresh)).toBe(everyCallOf('b'));
    expect(await versions.versionOf(run.workflowId)).toBe('a');
  });

  it('moves an open run to the version that is current, and back, by default', async () => {
    const a = await versions.start('a', {});
    await versions.setCurrent('a');
    const run = await versions.waiting();
    const other = await versions.waiting();
    await a.stop();
    const b = await versions.start('b', {});
    await versions.setCurrent('b');
    expect(await answered(run)).toBe(everyCallOf('b'));
    const later = await versions.waiting();
    await b.stop();
    await versions.start('a', {});
    await versions.setCurrent('a');
    expect(await answered(other)).toBe(everyCallOf('a'));
    expect(await answered(later)).toBe(everyCallOf('a'));
  });

  it('moves a pinned run when it continues as new', async () => {
    await versions.start('a', { behavior: 'PINNED' });
    await versions.setCurrent('a');
    const run = await versions.waiting();
    await versions.start('b', { behavior: 'PINNED' });
    await versions.setCurrent('b');
    await continueAsNew(versions.harness.longhaul, run);
    expect(await answered(run)).toBe(everyCallOf('b'));
  });

  it('moves a pinned thread between its turns, but not one that somebody has pinned by hand', async () => {
    const { longhaul } = versions.harness;
    await versions.start('a', { behavior: 'PINNED' });
    await versions.setCurrent('a');
    const thread = longhaul.thread({ agent: 'talking', sessionId: versions.name });
    const held = longhaul.thread({ agent: 'talking', sessionId: `${versions.name}-held` });
    const said = async (one: typeof thread): Promise<string> =>
      (await (await one.send('Hi')).result()).finalResponse.text;
    expect(await said(thread)).toBe('← which a');
    expect(await said(held)).toBe('← which a');
    await versions.pin(held.threadId, 'a');
    await versions.start('b', { behavior: 'PINNED' });
    await versions.setCurrent('b');
    expect(await said(thread)).toBe('← which b');
    expect(await said(thread)).toBe('← which b');
    const moved = await fetchHistory(longhaul, thread.threadId);
    const { continuedExecutionRunId, firstExecutionRunId } =
      moved[0]?.workflowExecutionStartedEventAttributes ?? {};
    expect(continuedExecutionRunId).toBe(firstExecutionRunId);
    expect(await said(held)).toBe('← which a');
    expect(await said(held)).toBe('← which a');
    expect(await versions.versionOf(held.threadId)).toBe('a');
    for (const { threadId } of [thread, held]) await versions.end(threadId);
  });

  it('replays threads that did not move for a version before they could', async () => {
    const { longhaul } = versions.harness;
    await versions.start('a', { behavior: 'PINNED' });
    await versions.setCurrent('a');
    const thread = longhaul.thread({ agent: 'talking', sessionId: versions.name });
    for (const text of ['One', 'Two']) await (await thread.send(text)).result();
    const history = await longhaul.client.workflow.getHandle(thread.threadId).fetchHistory();
    const tasks = (history.events ?? []).flatMap(
      ({ workflowTaskStartedEventAttributes: task }) => task ?? [],
    );
    expect(tasks.length).toBeGreaterThan(4);
    for (const task of tasks.slice(2)) task.targetWorkerDeploymentVersionChanged = true;
    await replay(history, { workflowBundle: { codePath: workflowBundlePath() } });
    await versions.end(thread.threadId);
  });

  it('gives new runs of a ramping version to its workers', async () => {
    await versions.start('a', { behavior: 'PINNED' });
    await versions.setCurrent('a');
    const run = await versions.waiting();
    await versions.start('b', { behavior: 'PINNED' });
    await versions.setRamping('b', 100);
    const fresh = await versions.waiting();
    expect(await answered(fresh)).toBe(everyCallOf('b'));
    expect(await answered(run)).toBe(everyCallOf('a'));
  });

  it('takes over runs that began without a version, and gives them back', async () => {
    const plain = await versions.start('plain', undefined);
    const run = await versions.waiting();
    const other = await versions.waiting();
    const a = await versions.start('a', {});
    await versions.setCurrent('a');
    await plain.stop();
    expect(await answered(run)).toBe(everyCallOf('a'));
    const later = await versions.waiting();
    await versions.start('plain', undefined);
    await versions.setCurrent('');
    await a.stop();
    expect(await answered(other)).toBe(everyCallOf('plain'));
    expect(await answered(later)).toBe(everyCallOf('plain'));
  });

  it('ends the search for an agent when the workers of the version have refused', async () => {
    const known = versions.agents('a');
    await versions.start('a', { behavior: 'PINNED' }, known);
    await versions.setCurrent('a');
    await versions.start('b', {}, [...known, defineAgent({ id: 'new', model: 'scripted/one' })]);
    const run = await versions.harness.longhaul.start('new', 'Go.');
    const refused: unknown = await run.result().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'AgentNotFound', details: { isRefusedByAll: true } });
  });

  it('says that no worker of the version polls, and lets somebody move the run', async () => {
    const a = await versions.start('a', { behavior: 'PINNED' });
    await versions.setCurrent('a');
    const run = await versions.waiting();
    await a.stop();
    await versions.start('b', { behavior: 'PINNED' });
    await versions.setCurrent('b');
    const refused: unknown = await run.resume('yes').catch((error: unknown) => error);
    const [name, task] = [versions.name, `task queue '${versions.harness.taskQueue}'`];
    const reason = `it is pinned to version 'a' of deployment '${name}', and no worker of that version polls ${task}`;
    expect(refused).toBeInstanceOf(LonghaulError);
    expect(refused).toMatchObject({
      code: 'NoWorker',
      message: expect.stringContaining(reason) as string,
    });
    await versions.harness.longhaul.client.workflow
      .getHandle(run.workflowId)
      .signal('resume', { answer: 'yes' });
    const why = await run.why();
    expect(why.reason).toContain(reason);
    expect(why.todo).toContain(`temporal workflow update-options --workflow-id ${run.workflowId}`);
    const unasked = versions.harness.longhaul.run(run.workflowId, { withoutWorker: true });
    expect((await unasked.state()).waitsFor).toMatchObject({
      kind: 'worker',
      workers: 'none',
      version: { deployment: name, buildId: 'a' },
      idle: [{ deployment: name, buildId: 'b' }],
    });
    await eventually('doctor to name the run', async () => {
      const checks = await checkOpenRuns(versions.harness.longhaul.client);
      const pinned = checks.find(({ name }) => name === 'pinned runs');
      return pinned?.message.includes(`${run.workflowId}: ${reason}`) === true;
    });
    await versions.free(run.workflowId);
    expect((await run.result()).finalResponse.text).toBe(everyCallOf('b'));
  });

  it('says that no version is current', async () => {
    await versions.start('a', {});
    await eventually('a worker to poll', async () => (await versions.queue()).pollers.length > 0);
    const run = await versions.harness.longhaul.start('asking', 'Go.');
    const why = await run.why();
    expect(why.reason).toContain(`but none of these versions is current`);
    expect(why.todo).toContain(
      `set-current-version --deployment-name ${versions.name} --build-id a`,
    );
    expect(run.warning?.message).toContain('none of these versions is current');
    await versions.setCurrent('a');
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input' });
  });
});

/** A worker without a version, on another task queue. */
async function otherWorker(taskQueue: string): Promise<{ stop(): Promise<void> }> {
  quietRuntime();
  const connection = await NativeConnection.connect({ address: devServerAddress() });
  const activities = { whoIsThere: () => Promise.resolve('nobody') };
  const worker = await Worker.create({ connection, taskQueue, activities });
  const ended = worker.run();
  return {
    stop: async () => {
      worker.shutdown();
      await ended;
      await connection.close();
    },
  };
}
