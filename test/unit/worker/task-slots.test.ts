// Pure: no server.

import { LonghaulPlugin } from '../../../src/worker';
import { modelCallsAtOnce, taskSlots, workflowTime } from '../../../src/worker/task-slots';

const taskQueue = 'any';
const fixed = (numSlots: number): object => ({ type: 'fixed-size', numSlots });
const ours = { type: 'custom' };

describe('how many tasks a worker takes', () => {
  it('is ours, and bounded by its threads', () => {
    const { tuner, ...rest } = taskSlots({ taskQueue, workflowThreadPoolSize: 3 });
    expect(rest).toEqual({ taskQueue, workflowThreadPoolSize: 3 });
    expect(tuner).toMatchObject({
      workflowTaskSlotSupplier: ours,
      activityTaskSlotSupplier: ours,
      localActivityTaskSlotSupplier: fixed(100),
      nexusTaskSlotSupplier: fixed(100),
    });
  });

  it.each([
    ['maxConcurrentActivityTaskExecutions', 'activityTaskSlotSupplier'],
    ['maxConcurrentWorkflowTaskExecutions', 'workflowTaskSlotSupplier'],
    ['maxConcurrentLocalActivityExecutions', 'localActivityTaskSlotSupplier'],
  ])('is what the user sets by %s, and the rest stays ours', (option, supplier) => {
    const { tuner, ...rest } = taskSlots({ taskQueue, [option]: 7 });
    expect(rest).toEqual({ taskQueue, workflowThreadPoolSize: expect.any(Number) as number });
    expect(tuner).toMatchObject({
      workflowTaskSlotSupplier: ours,
      activityTaskSlotSupplier: ours,
      localActivityTaskSlotSupplier: fixed(100),
      [supplier]: fixed(7),
    });
  });

  it('is what a tuner of the user says', () => {
    const options = {
      taskQueue,
      tuner: { tunerOptions: { targetMemoryUsage: 0.8, targetCpuUsage: 1 } },
    };
    const { workflowThreadPoolSize, ...rest } = taskSlots(options);
    expect(rest).toEqual(options);
    expect(workflowThreadPoolSize).toBeGreaterThanOrEqual(1);
  });

  it.each([
    [0.25, 100],
    [1, 256],
    [16, 1_000],
  ])('lets the model calls of a machine with %d GiB be %d', (gibibytes, calls) => {
    expect(modelCallsAtOnce(gibibytes * 1024 ** 3)).toBe(calls);
  });
});

describe('how long a workflow may compute', () => {
  it.each([
    ['22.12.0', {}, '1 minute'],
    ['22.12.0', { debugMode: true }, undefined],
    ['24.0.0', {}, undefined],
  ])('on Node %s, with %j, is %s', (version, options, expected) => {
    expect(workflowTime(options, version).isolateExecutionTimeout).toBe(expected);
  });

  it('is what the user says, else ours', () => {
    const plugin = new LonghaulPlugin();
    const own = { isolateExecutionTimeout: '7s' };
    expect(plugin.configureWorker({ taskQueue })).toMatchObject(workflowTime({}));
    expect(plugin.configureWorker({ taskQueue, ...own })).toMatchObject(own);
  });
});
