import type { OpenRunInput, OpenRunResult } from '../../protocol/activities';
import { NotRegisteredHere } from '../../protocol/error-classes';
import { openState } from '../../stores/open-state';
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
    throw new NotRegisteredHere(message, { retryable: true });
  }
  return await openState({ stores, key, callerSession, precedence });
}
