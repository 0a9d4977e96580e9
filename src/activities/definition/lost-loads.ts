// Counts the workers that were lost while they loaded a definition. A definition that stops every worker must not go from worker to worker
// for ever.
//
// 1. If an attempt ended with a timeout, its worker was killed, or could not even beat. The next attempt counts it.
// 2. The count travels in the heartbeat details. The server has it before the definition is loaded.
// 3. An attempt that failed with an error does not count: a store or a server that is away for long comes back.

import { Context } from '@temporalio/activity';
import { isJsonObject } from '../../base';
import { limits, LonghaulError } from '../../protocol';
import type { Beats } from '../heartbeat';
import { lastTimeout } from '../last-timeout';

/** Throws `InternalError` after too many attempts that no worker survived. */
export async function requireLoadable(beats: Pick<Beats, 'keep' | 'tell'>): Promise<void> {
  const { info } = Context.current();
  if (info.attempt === 1) return;
  const timeout = await lastTimeout();
  if (timeout === undefined) return;
  const lostAttempts = lostBefore(info.heartbeatDetails) + 1;
  if (lostAttempts >= limits.lostLoads)
    throw new LonghaulError(
      'InternalError',
      `${lostAttempts} workers stopped while they loaded the definition (${timeout}). Look into their logs, make the definition smaller, and start again`,
      { details: { lostAttempts } },
    );
  beats.keep({ lostAttempts });
  await beats.tell();
}

function lostBefore(details: unknown): number {
  const lost = isJsonObject(details) ? details['lostAttempts'] : undefined;
  return typeof lost === 'number' ? lost : 0;
}
