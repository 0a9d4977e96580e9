import type { CloseRunInput } from '../../protocol/activities';
import { NotRegisteredHere } from '../../protocol/error-classes';
import { closeState } from '../../stores/open-state';
import type { ActivityDependencies } from '../dependencies';

/** Leaves a completed run's session for the next run of its key, if none was left since it started. Made again, it saves the same. */
export async function closeRun(
  { stores = {} }: Pick<ActivityDependencies, 'stores'>,
  { key, session, save }: CloseRunInput,
): Promise<void> {
  if (stores.session === undefined) {
    const message = 'this worker has no session store: the run started on one that has';
    throw new NotRegisteredHere(message, { retryable: true });
  }
  await closeState({ stores, key, session, save });
}
