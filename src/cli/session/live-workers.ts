import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { pollingWorkers, type PollingWorker } from '../../client/polling-workers';

export type LiveWorker = PollingWorker & {
  /** Part of a command such as `run`: it goes when that is done with its own run. */
  readonly isTemporary: boolean;
};

const temporaryPrefix = 'longhaul-run-';

/** The name under which a command's own worker polls. */
export function temporaryIdentity(): string {
  return `${temporaryPrefix}${process.pid}@${hostname()}`;
}

/**
 * Workers that poll the task queue, without those whose process on this machine is gone. A worker that was killed on another machine
 * still counts.
 */
export async function liveWorkers(
  client: Client,
  taskQueue: string,
): Promise<readonly LiveWorker[]> {
  return (await pollingWorkers(client, taskQueue))
    .filter(({ identity }) => !isGone(identity))
    .map((worker) => ({ ...worker, isTemporary: worker.identity.startsWith(temporaryPrefix) }));
}

/** By default a worker's identity is `<process id>@<host>`. */
export function isGone(identity: string, host = hostname()): boolean {
  const found = /^(?:longhaul-run-)?(\d+)@(.+)$/.exec(identity);
  if (found === null || found[2] !== host) return false;
  try {
    return !process.kill(Number(found[1]), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
