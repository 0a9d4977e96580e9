// Which application a worker runs the code of. Two that share a task queue are given each other's calls: each leaves them to the other.

import { Context } from '@temporalio/activity';
import { LonghaulError } from '../../protocol/errors';

/** What an activity is given, as far as it says whose it is; where it does not, it is of the application named like the task queue. */
export type OfApplication = {
  readonly application?: string;
  readonly definition?: { readonly application?: string };
};

/**
 * What is left to another worker: `again` is tried by the server for a minute, then fails; `aside` fails at once, for the run tries it
 * itself; `always` is tried until the right worker takes it, for what is not written would be lost.
 */
export type LeftFor = 'again' | 'aside' | 'always';

export function checkApplication(own: string, input: OfApplication, left: LeftFor): void {
  const asked =
    input.application ?? input.definition?.application ?? Context.current().info.taskQueue;
  if (asked === own) return;
  const message = `this worker runs application '${own}', and the call is of '${asked}': start a worker with createWorker({ application: '${asked}' }) on this task queue`;
  if (left === 'always') throw new LonghaulError('StoreError', message, { retryable: true });
  throw new LonghaulError('NotRegisteredHere', message, { retryable: left === 'again' });
}
