// How the activities of a worker learn who else polls its task queue.

import { hostname } from 'node:os';
import { Context } from '@temporalio/activity';
import type { WorkerOptions } from '@temporalio/worker';
import type { ActivityDependencies } from '../activities';
import { timeouts } from '../protocol/limits';
import { pollingWorkers } from '../server/pollers';

type Pollers = NonNullable<ActivityDependencies['pollers']>;

let workers = 0;

/** As Temporal's SDK makes it, but another one for each worker of this process: else nobody could tell them apart. */
export function ownIdentity(): string {
  workers += 1;
  const identity = `${process.pid}@${hostname()}`;
  return workers === 1 ? identity : `${identity}#${workers}`;
}

export function pollersOf({
  taskQueue,
  identity,
}: Pick<Required<WorkerOptions>, 'taskQueue' | 'identity'>): Pollers {
  return { identity, polling: () => polling(taskQueue) };
}

/** Leaves out those that have not polled for longer than a poll takes. A time-skipping server cannot say who polls. */
async function polling(taskQueue: string): Promise<readonly string[] | undefined> {
  try {
    const found = await pollingWorkers(Context.current().client, taskQueue, 'activity');
    const since = Date.now() - timeouts.longPoll;
    return found.filter(({ lastPoll }) => lastPoll.getTime() > since).map((one) => one.identity);
  } catch {
    return undefined;
  }
}
