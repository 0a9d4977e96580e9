import type { CloseRunInput, OpenRunInput, OpenRunResult } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import { closeState, openState } from '../../stores/open-state';
import type { ActivityDependencies } from '../dependencies';

/** The session a run starts with: what the stores hold for its key, and what it was given; and the version of it that a store holds. */
export async function openRun(
  { stores = {} }: Pick<ActivityDependencies, 'stores'>,
  input: OpenRunInput,
): Promise<OpenRunResult> {
  const { key, session: callerSession, sessionPrecedence: precedence = 'caller' } = input;
  const missing = input.stores.filter((name) => stores[name] === undefined);
  if (missing.length > 0) {
    const message = `this worker has no ${missing.join(' store and no ')} store: the run started on one that has`;
    throw new LonghaulError('NotRegisteredHere', message, { retryable: true });
  }
  return await openState({ stores, key, callerSession, precedence });
}

/** Leaves a completed run's session for the next run of its key, if none was left since it started. Made again, it saves the same. */
export async function closeRun(
  { stores = {} }: Pick<ActivityDependencies, 'stores'>,
  { key, session, save }: CloseRunInput,
): Promise<void> {
  if (stores.session === undefined) {
    const message = 'this worker has no session store: the run started on one that has';
    throw new LonghaulError('NotRegisteredHere', message, { retryable: true });
  }
  await closeState({ stores, key, session, save });
}
