// What a reset does on the simulated server. No workers.

import { createClock } from '@sinonjs/fake-timers';
import type { ServerCommand } from './core/operations';
import type { Execution } from './server/execution';
import { SimServer } from './server/server';
import { World } from './world';

const reapply = { signals: false, updates: false, reason: 'test' };

let world: World;
let server: SimServer;

beforeEach(() => {
  world = new World(1, createClock());
  server = new SimServer(world);
});

const started = (workflowId: string): Execution =>
  server.start({
    workflowId,
    reuse: 'always',
    attributes: { workflowType: { name: 'any' }, taskQueue: { name: 'any' } },
  });

/** The next workflow task of the run, with these commands. Returns the event that ends it. */
function complete(execution: Execution, commands: readonly ServerCommand[]): number {
  const { token } = execution.beginTask('worker');
  execution.completeTask(token, { commands, messages: [] }, []);
  return execution.history.events.findLast(({ name }) => name === 'workflowTaskCompleted')?.id ?? 0;
}

it('ends the newest execution, also if it goes back to an earlier one', () => {
  const first = started('one');
  const end = complete(first, [{ kind: 'continueAsNew', attributes: { workflowType: 'any' } }]);
  const second = server.find('one');
  const third = server.reset(first, end, reapply);
  expect(second).not.toBe(first);
  expect([second?.status, third.status]).toEqual(['terminated', 'running']);
});

it('signals others again that have not answered', () => {
  const other = started('other');
  const run = started('one');
  const workflowExecution = { workflowId: 'other' };
  complete(run, [{ kind: 'signal', attributes: { workflowExecution, signalName: 'any' } }]);
  run.signal({ signalName: 'go on' });
  const end = complete(run, []);
  const next = server.reset(run, end, reapply);
  while (other.signals === 0 && world.step());
  expect(other.signals).toBe(1);
  expect(next.history.events.map(({ name }) => name)).toContain(
    'externalWorkflowExecutionSignaled',
  );
});
