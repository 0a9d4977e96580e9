// Reads the state stores when a run starts, and writes the session when the run completes.

import { defined, type Json, type JsonObject } from '../../base';
import { storedKey, withApplication } from '../../core/stored-key';
import {
  type CloseRunInput,
  limits,
  LonghaulError,
  type OpenRunInput,
  type OpenRunResult,
  type RunKey,
} from '../../protocol';
import {
  encodeState,
  keyValues,
  type SessionKey,
  type SessionStore,
  type StateStores,
  type UserKey,
  userKeyOf,
} from '../../stores/index';
import type { ActivityDependencies } from '../dependencies';
import { notHere } from '../failures';

/** How often a run reads a session again that changes during the read. */
const readAttempts = 5;

type RunStores = Pick<ActivityDependencies, 'stores'> &
  Partial<Pick<ActivityDependencies, 'application'>>;

/** The session a run starts with, and the version that the session store has of it. */
export async function openRun(
  { stores = {}, application }: RunStores,
  input: OpenRunInput,
): Promise<OpenRunResult> {
  requireStores(stores, input.stores);
  return await openState({ ...input, stores, ...defined({ application }) });
}

/** Saves the session for the next run of the same key. It may be called again: it then saves the same. */
export async function closeRun(
  { stores = {}, application }: RunStores,
  input: CloseRunInput,
): Promise<void> {
  requireStores(stores, ['session']);
  await closeState({ ...input, stores, ...defined({ application }) });
}

function requireStores(stores: StateStores, names: readonly (keyof StateStores)[]): void {
  const missing = names.filter((name) => stores[name] === undefined);
  if (missing.length > 0)
    throw notHere(`${missing.join(' store and no ')} store: the run started on one that has`);
}

type OpenState = Omit<OpenRunInput, 'stores'> & { readonly stores: StateStores };

/** The session from the stores of app, user and session; a later one wins. The caller's values win, or lose with `store`. */
export async function openState(options: OpenState): Promise<OpenRunResult> {
  const { session: given, sessionPrecedence = 'caller' } = options;
  const { states, version } = await loadStates(options);
  const stored = mergeStates(states);
  const session = mergeStates(sessionPrecedence === 'caller' ? [stored, given] : [given, stored]);
  checkSize(session, 'with what the stores hold, the session');
  return { session, ...defined({ version }) };
}

/** Without a session id or a session store it saves nothing. Throws `StoreError` if the stored session changed since the run started. */
export async function closeState({
  stores,
  key,
  application,
  session,
  save,
}: CloseRunInput & { readonly stores: StateStores }): Promise<void> {
  const [sessionKey] = sessionKeys(key, application);
  if (stores.session === undefined || sessionKey === undefined) return;
  const { session: store } = stores;
  keyValues(sessionKey, ['appName', 'userId', 'sessionId']);
  const state = mergeStates([session]);
  checkSize(state, 'the session');
  const isSaved = await callStore('session store', () => store.save(sessionKey, state, save));
  if (isSaved) return;
  throw new LonghaulError(
    'StoreError',
    'somebody else saved or deleted the session after this run started',
  );
}

async function loadStates({
  stores,
  key,
  application,
}: OpenState): Promise<{ states: readonly JsonObject[]; version?: string }> {
  const users = userKeys(key, application);
  const { app, user, session } = stores;
  const sessions = sessionKeys(key, application);
  const parts = ['appName', 'userId', 'sessionId'] as const;
  for (const [index, each] of users.entries())
    keyValues({ ...each, sessionId: 'none', ...sessions[index] }, parts);
  const [appState, userState, stored] = await Promise.all([
    loadFirst('app', users, async ({ appName }) => await app?.load({ appName })),
    loadFirst('user', users, async (each) => await user?.load(each)),
    session && loadSession(session, sessions),
  ]);
  if (stored === undefined) return { states: [appState, userState] };
  return { states: [appState, userState, stored.state], version: stored.version };
}

/**
 * The keys under which the state of a run's user may be, in the order to try. In 0.2.0, a key without an `appName` meant `default`. It also
 * left out the tenant, but users of other tenants share such a key, so it is not read.
 */
function userKeys(key: RunKey, application?: string): readonly [UserKey, ...UserKey[]] {
  const { tenant } = key;
  const earlier = userKeyOf(key);
  const current =
    application === undefined ? earlier : userKeyOf(withApplication(key, application));
  const isSame = current.appName === earlier.appName;
  if (tenant !== undefined || isSame) return [storedKey({ ...current, ...defined({ tenant }) })];
  return [current, earlier];
}

/** The keys under which the session may be. None without a session id. A run saves at the first key. */
function sessionKeys(key: RunKey, application: string | undefined): readonly SessionKey[] {
  const { sessionId } = key;
  if (sessionId === undefined) return [];
  return userKeys(key, application).map((user) => ({ ...user, sessionId }));
}

/** The stored session. Undefined without a session key. If the first key has none, it may be under the key of an earlier version. */
async function loadSession(
  store: SessionStore,
  [key, earlier]: readonly SessionKey[],
): Promise<{ state: JsonObject; version: string } | undefined> {
  if (key === undefined) return undefined;
  const stored = await loadVersion(store, key);
  if (stored.version !== '' || earlier === undefined) return stored;
  return { ...(await loadVersion(store, earlier)), version: '' };
}

/** Reads the state between two reads of its version. They belong together if the two versions are equal. */
async function loadVersion(
  store: SessionStore,
  key: SessionKey,
): Promise<{ state: JsonObject; version: string }> {
  const readVersion = () => callStore('session store', () => store.version(key));
  let version = await readVersion();
  for (let attempt = 1; attempt <= readAttempts; attempt += 1) {
    const state = await loadFirst('session', [key], (each) => store.load(each));
    const after = await readVersion();
    if (after === version) return { state, version };
    version = after;
  }
  throw new LonghaulError('StoreError', 'the session changed each time it was read', {
    retryable: true,
  });
}

/** The state of the first key that has one. A store may be the user's own, so its result is checked. */
async function loadFirst<Key>(
  name: keyof StateStores,
  keys: readonly Key[],
  read: (key: Key) => Promise<JsonObject | undefined>,
): Promise<JsonObject> {
  return await callStore(`${name} store`, async () => {
    for (const key of keys) {
      const state = (await read(key)) ?? undefined;
      if (state === undefined) continue;
      encodeState(state);
      return state;
    }
    return {};
  });
}

/** Calls a store. Its errors become `StoreError`. Other errors are retryable, because they may pass. */
export async function callStore<Result>(
  store: string,
  call: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const retryable = LonghaulError.is(error) ? error.retryable : true;
    const message = error instanceof Error ? error.message : String(error);
    throw new LonghaulError('StoreError', `the ${store} failed: ${message}`, {
      cause: error,
      retryable,
    });
  }
}

/** A later state wins. Keys that start with two underscores belong to Longhaul: this neither reads nor writes them. */
function mergeStates(states: readonly JsonObject[]): JsonObject {
  const entries = states.flatMap((state): [string, Json][] => Object.entries(state));
  return Object.fromEntries(entries.filter(([key]) => !key.startsWith('__')));
}

function checkSize(session: JsonObject, subject: string): void {
  const bytes = Buffer.byteLength(encodeState(session));
  if (bytes <= limits.session) return;
  throw new LonghaulError(
    'SessionTooLarge',
    `${subject} has ${bytes} bytes of JSON; at most ${limits.session} are kept`,
  );
}
