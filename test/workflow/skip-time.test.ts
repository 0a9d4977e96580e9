// Stepping through time on a time-skipping server, with workflows of its own.

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { nextEvent, stepTimeUntil } from '../../src/testing/skip-time';
import { describeWithTimeSkipping, timeSkippingServerPath } from '../servers';
import { quietRuntime } from './quiet';

const day = 24 * 3_600_000;

describeWithTimeSkipping('stepTimeUntil', () => {
  let env: TestWorkflowEnvironment;
  let worker: Worker;
  let running: Promise<void>;
  let client: Client;

  beforeAll(async () => {
    quietRuntime();
    const executable = { type: 'existing-path', path: timeSkippingServerPath() } as const;
    env = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
    worker = await Worker.create({
      connection: env.nativeConnection,
      taskQueue: 'sleepers',
      workflowBundle: await bundleWorkflowCode({
        workflowsPath: require.resolve('./sleepers'),
        logger: new DefaultLogger('ERROR'),
      }),
      activities: { slow: () => delay(300, 'worked') },
    });
    running = worker.run();
    client = new Client({ connection: env.connection });
  });
  afterAll(async () => {
    worker.shutdown();
    await running;
    await env.teardown();
  });

  async function start(
    type: string,
    ...args: unknown[]
  ): Promise<{ id: string; result: Promise<unknown> }> {
    const handle = await client.workflow.start(type, {
      taskQueue: 'sleepers',
      workflowId: randomUUID(),
      args,
    });
    return { id: handle.workflowId, result: handle.result() };
  }

  it.each([
    { name: 'its own timer', type: 'sleeper' },
    { name: 'the timer of a child', type: 'parentOfSleeper' },
  ])('steps to $name', async ({ type }) => {
    const before = await env.currentTimeMs();
    const { id, result } = await start(type, 3);
    expect(await stepTimeUntil(result, { env, client, workflowId: id })).toBe('slept 3 days');
    const days = ((await env.currentTimeMs()) - before) / day;
    expect(days).toBeGreaterThanOrEqual(3);
    expect(days).toBeLessThan(3.01);
  });

  it('lets work end before it steps to a timer', async () => {
    const { id, result } = await start('worksBesideTimer');
    expect(await stepTimeUntil(result, { env, client, workflowId: id })).toBe('worked');
  });

  it('does not step to the deadline of a pause', async () => {
    const { id, result } = await start('paused');
    const seen: string[] = [];
    while (seen.at(-1) !== 'nothing') seen.push((await nextEvent(client, id)).kind);
    expect(seen.filter((kind) => kind === 'timer' || kind === 'retry')).toEqual([]);
    await env.sleep('7 days');
    expect(await result).toBe('nobody answered');
  });
});
