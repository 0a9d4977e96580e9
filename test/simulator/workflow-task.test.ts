// What a workflow task leaves in the history of the simulated server.

import { createClock } from '@sinonjs/fake-timers';
import { SimServer } from './server/server';
import { World } from './world';

test('a task that fails is in history once, however often it is tried again', () => {
  const server = new SimServer(new World(1, createClock()));
  const attributes = { workflowType: { name: 'any' }, taskQueue: { name: 'any' } };
  const execution = server.start({ workflowId: 'one', reuse: 'always', attributes });
  const fail = (): boolean => execution.failTask(execution.beginTask('worker').token, 1, 'broken');
  expect([fail(), fail()]).toEqual([true, true]);
  const { token, attempt } = execution.beginTask('worker');
  expect(attempt).toBe(3);
  execution.signal({ signalName: 'any' });
  const end = { kind: 'complete', attributes: {} } as const;
  expect(execution.completeTask(token, { commands: [end], messages: [] }, [])).toBe('refused');
  expect(execution.history.events.map(({ name }) => name)).toEqual([
    'workflowExecutionStarted',
    'workflowTaskScheduled',
    'workflowTaskStarted',
    'workflowTaskFailed',
    'workflowExecutionSignaled',
    'workflowTaskScheduled',
  ]);
});
