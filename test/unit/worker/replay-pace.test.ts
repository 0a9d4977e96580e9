// Pure: no server.

import { replayPace } from '../../../src/worker/replay-pace';

const taskQueue = 'any';
const fixed = (numSlots: number): object => ({ type: 'fixed-size', numSlots });

describe('how a worker replays', () => {
  it('is bounded by its threads, and keeps the numbers of activities that are set', () => {
    const { tuner, workflowThreadPoolSize, ...rest } = replayPace({
      taskQueue,
      workflowThreadPoolSize: 3,
      maxConcurrentActivityTaskExecutions: 7,
    });
    expect(rest).toEqual({ taskQueue });
    expect(workflowThreadPoolSize).toBe(3);
    expect(tuner).toMatchObject({
      workflowTaskSlotSupplier: { type: 'custom' },
      activityTaskSlotSupplier: fixed(7),
      localActivityTaskSlotSupplier: fixed(100),
    });
  });

  it.each([
    { maxConcurrentWorkflowTaskExecutions: 40 },
    { tuner: { tunerOptions: { targetMemoryUsage: 0.8, targetCpuUsage: 1 } } },
  ])('is what the user sets: %j', (options) => {
    const { workflowThreadPoolSize, ...rest } = replayPace({ taskQueue, ...options });
    expect(rest).toEqual({ taskQueue, ...options });
    expect(workflowThreadPoolSize).toBeGreaterThanOrEqual(1);
  });
});
