// What a run does with the stores: reads all of them once when it starts, writes the session once when it completes.

import { defined, type Json, type JsonObject } from '../base/json';
import { LonghaulError } from '../protocol/errors';
import { limits } from '../protocol/limits';
import type { RunKey } from '../protocol/run';
import { keyValues, sessionKeyOf, userKeyOf } from './state-key';
import { encodeState } from './state-text';
import type { SaveStateOptions, SessionKey, SessionStore, StateStores } from './state-store';

export type OpenState = {
  readonly stores: StateStores;
  readonly key: RunKey;
  readonly callerSession: JsonObject;
  /** Whose value wins for a key that both have. Default `caller`. */
  readonly precedence?: 'caller' | 'store';
};

/** What a run starts with. `version` is the session store's: the run saves only while it is still that one. */
export type OpenedState = { readonly session: JsonObject; readonly version?: string };

export type CloseState = {
  readonly stores: StateStores;
  readonly key: RunKey;
  readonly session: JsonObject;
  /** What the session was when the run started, and what this save makes of it. */
  readonly save: SaveStateOptions;
};

/** How often a session is read again that others save while it is read. */
const readAttempts = 5;

/** The session a run starts with: app, user and session store, later wins, and the caller's values over or under them. */
export async function openState(options: OpenState): Promise<OpenedState> {
  const { callerSession, precedence = 'caller' } = options;
  const { states, version } = await loadStates(options);
  const stored = mergeStates(states);
  const layers = precedence === 'caller' ? [stored, callerSession] : [callerSession, stored];
  const session = mergeStates(layers);
  checkSize(session, 'with what the stores hold, the session');
  return { session, ...defined({ version }) };
}

/**
 * Saves the session. A run without a session id, or a worker without a session store, saves nothing. Throws `StoreError` where the
 * session was saved or deleted since the run started.
 */
export async function closeState({ stores, key, session, save }: CloseState): Promise<void> {
  const sessionKey = sessionKeyOf(key);
  if (stores.session === undefined || sessionKey === undefined) return;
  const { session: store } = stores;
  keyValues(sessionKey, ['appName', 'userId', 'sessionId']);
  const state = mergeStates([session]);
  checkSize(state, 'the session');
  const isSaved = await calling('session', () => store.save(sessionKey, state, save));
  if (isSaved) return;
  throw new LonghaulError(
    'StoreError',
    'somebody else saved or deleted the session after this run started',
  );
}

async function loadStates({
  stores,
  key,
}: OpenState): Promise<{ states: readonly JsonObject[]; version?: string }> {
  const { app, user, session } = stores;
  const userKey = userKeyOf(key);
  const sessionKey = sessionKeyOf(key);
  keyValues({ ...userKey, sessionId: 'none', ...sessionKey }, ['appName', 'userId', 'sessionId']);
  const [appState, userState, stored] = await Promise.all([
    load('app', async () => await app?.load({ appName: userKey.appName })),
    load('user', async () => await user?.load(userKey)),
    session && sessionKey && loadSession(session, sessionKey),
  ]);
  if (stored === undefined) return { states: [appState, userState] };
  return { states: [appState, userState, stored.state], version: stored.version };
}

/** A state and its version are read apart: they belong together when the version is the same before and after. */
async function loadSession(
  store: SessionStore,
  key: SessionKey,
): Promise<{ state: JsonObject; version: string }> {
  const readVersion = () => calling('session', () => store.version(key));
  let version = await readVersion();
  for (let attempt = 1; attempt <= readAttempts; attempt += 1) {
    const state = await load('session', () => store.load(key));
    const after = await readVersion();
    if (after === version) return { state, version };
    version = after;
  }
  throw new LonghaulError('StoreError', 'the session changed each time it was read', {
    retryable: true,
  });
}

/** A store of the user's own is trusted to return neither undefined nor JSON. */
async function load(
  name: keyof StateStores,
  read: () => Promise<JsonObject | undefined>,
): Promise<JsonObject> {
  return await calling(name, async () => {
    const state = (await read()) ?? {};
    encodeState(state);
    return state;
  });
}

/** An error that is not ours is one of a store we do not know: it may pass. */
async function calling<Result>(
  name: keyof StateStores,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const [message, retryable] = LonghaulError.is(error)
      ? [error.message, error.retryable]
      : [String(error), true];
    throw new LonghaulError('StoreError', `the ${name} store failed: ${message}`, {
      cause: error,
      retryable,
    });
  }
}

/** Later wins. Keys that start with two underscores are Longhaul's own: they are neither read nor written. */
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
