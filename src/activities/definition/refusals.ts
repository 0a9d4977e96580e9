// Decides whether another worker may still know a runner that this one does not.
//
// 1. Each attempt that is refused adds its worker to the heartbeat details, which the server keeps for the next attempt.
// 2. The search ends when all workers that poll for activities have refused. A worker that has just started gets some seconds to poll.
// 3. If the server does not list the pollers, the search goes on for its minute.

import { Context } from '@temporalio/activity';
import { isJsonObject } from '../../base';
import { limits, LonghaulError, timeouts } from '../../protocol';
import { isSearchSpent } from '../failures';
import type { Beats } from '../heartbeat';

/** Who this worker is, and who polls its task queue. */
export type Pollers = {
  readonly identity: string;
  /** The identities of the workers that poll for activities. Undefined if the server does not know. */
  readonly polling: () => Promise<readonly string[] | undefined>;
};

/** The error of this worker, which does not know a runner. The error is final if no other worker may know the runner. */
export async function refusedHere(
  pollers: Pollers | undefined,
  { code, message, details }: LonghaulError,
  beats: Pick<Beats, 'keep'>,
): Promise<LonghaulError> {
  if (pollers !== undefined && (await haveAllRefused(pollers, beats)))
    return new LonghaulError(code, message, { details: { ...details, isRefusedByAll: true } });
  return new LonghaulError(code, message, { details, retryable: !isSearchSpent() });
}

async function haveAllRefused(
  { identity, polling }: Pollers,
  beats: Pick<Beats, 'keep'>,
): Promise<boolean> {
  const { info } = Context.current();
  const refusedBy = [...new Set([...refusedBefore(info.heartbeatDetails), identity])];
  beats.keep({ refusedBy: refusedBy.slice(-limits.refusals) });
  const { scheduledTimestampMs, currentAttemptScheduledTimestampMs } = info;
  if (currentAttemptScheduledTimestampMs - scheduledTimestampMs < timeouts.firstPoll) return false;
  const workers = await polling();
  return workers !== undefined && workers.every((worker) => refusedBy.includes(worker));
}

function refusedBefore(details: unknown): readonly string[] {
  const refused = isJsonObject(details) ? details['refusedBy'] : undefined;
  return Array.isArray(refused) ? refused.filter((each) => typeof each === 'string') : [];
}
