// The session of a run at its two ends: read from the stores when it starts, left in the session store when it is complete.
//
// 1. Only the root run does either: what it calls shares its session.
// 2. A store that stays down never fails a run whose answer is there: the result says so.
// 3. A session is saved only over the one that the run started from: what another saved since is newer, and stays.

import {
  ActivityFailure,
  isCancellation,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { oneLine } from '../../base/text';
import type { LonghaulActivities, OpenRunResult } from '../../protocol/activities';
import { limits, timeouts } from '../../protocol/limits';
import type { RunInput } from '../../protocol/run';
import type { LoadedDefinition } from './load-definition';
import type { RunSession } from './run-session';

const activities = proxyActivities<Pick<LonghaulActivities, 'openRun' | 'closeRun'>>({
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: timeouts.store,
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** What the run starts from: the stores' state for its key and what it was given; without a key or stores, the latter alone. */
export async function openSession(
  { key, session = {}, lineage, application }: RunInput,
  { stores = [], config }: LoadedDefinition,
): Promise<OpenRunResult> {
  if (key === undefined || stores.length === 0 || lineage !== undefined) return { session };
  const { sessionPrecedence } = config;
  return await activities.openRun({
    stores,
    key,
    session,
    ...whose(application),
    ...(sessionPrecedence !== undefined && { sessionPrecedence }),
  });
}

/** Saves the session of a completed run; gives what the result must warn of. */
export async function closeSession(
  { key, lineage, application }: RunInput,
  { stores = [] }: LoadedDefinition,
  { value: session, version = '' }: Pick<RunSession, 'value' | 'version'>,
): Promise<readonly string[]> {
  if (key?.sessionId === undefined || !stores.includes('session') || lineage !== undefined) {
    return [];
  }
  try {
    // The first execution's id: the same over continue-as-new and a reset, which saves again.
    const save = { after: version, version: workflowInfo().firstExecutionRunId };
    await activities.closeRun({
      key,
      session,
      save,
      ...whose(application),
    });
    return [];
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const reason = oneLine(error.cause?.message ?? error.message, limits.failureMessage);
    return [`the session was not saved: ${reason}`];
  }
}

/** Left out where the task queue says it. */
function whose(application: string | undefined): Pick<RunInput, 'application'> {
  return application === undefined ? {} : { application };
}
