// Finds out for the activities of a worker who else polls its task queue.

import { hostname } from 'node:os';
import { Context } from '@temporalio/activity';
import type { WorkerOptions } from '@temporalio/worker';
import type { ActivityDependencies } from '../activities';
import { timeouts } from '../protocol';
import { isSameVersion, pollingWorkers, type WorkerVersion } from '../server';

type Pollers = NonNullable<ActivityDependencies['pollers']>;

let workers = 0;

/** An identity as Temporal's SDK makes it, with a number if this process has several workers, so that each has another one. */
export function ownIdentity(): string {
  workers += 1;
  const identity = `${process.pid}@${hostname()}`;
  return workers === 1 ? identity : `${identity}#${workers}`;
}

type OfWorker = Pick<Required<WorkerOptions>, 'taskQueue' | 'identity'> &
  Pick<WorkerOptions, 'workerDeploymentOptions'>;

export function pollersOf({ taskQueue, identity, workerDeploymentOptions }: OfWorker): Pollers {
  const { version, useWorkerVersioning = false } = workerDeploymentOptions ?? {};
  const own =
    version && useWorkerVersioning
      ? { deployment: version.deploymentName, buildId: version.buildId }
      : undefined;
  return { identity, polling: () => polling(taskQueue, own) };
}

/**
 * Leaves out workers that have not polled for longer than a poll takes, and workers of other versions, because they do not get this
 * worker's calls. A time-skipping server does not know who polls.
 */
async function polling(
  taskQueue: string,
  own: WorkerVersion | undefined,
): Promise<readonly string[] | undefined> {
  try {
    const found = await pollingWorkers(Context.current().client, taskQueue, 'activity');
    const since = Date.now() - timeouts.longPoll;
    return found
      .filter(({ lastPoll, version }) => lastPoll.getTime() > since && isSameVersion(version, own))
      .map(({ identity }) => identity);
  } catch {
    return undefined;
  }
}
