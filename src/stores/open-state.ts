// What a run does with the stores: reads all of them once when it starts, writes the session once when it completes.

import { SessionTooLarge, StoreError } from '../protocol/error-classes';
import { LonghaulError } from '../protocol/errors';
import type { Json, JsonObject } from '../protocol/json';
import { limits } from '../protocol/limits';
import type { RunKey } from '../protocol/run';
import { keyValues, sessionKeyOf, userKeyOf } from './state-key';
import { encodeState } from './state-text';
import type { StateStores } from './state-store';

export type OpenState = {
  readonly stores: StateStores;
  readonly key: RunKey;
  readonly callerSession: JsonObject;
  /** Whose value wins for a key that both have. Default `caller`. */
  readonly precedence?: 'caller' | 'store';
};

export type CloseState = {
  readonly stores: StateStores;
  readonly key: RunKey;
  readonly session: JsonObject;
};

/** The session a run starts with: app, user and session store, later wins, and the caller's values over or under them. */
export async function openState(options: OpenState): Promise<JsonObject> {
  const { callerSession, precedence = 'caller' } = options;
  const stored = mergeStates(await loadStates(options));
  const layers = precedence === 'caller' ? [stored, callerSession] : [callerSession, stored];
  const session = mergeStates(layers);
  checkSize(session, 'with what the stores hold, the session');
  return session;
}

/** Saves the session. A run without a session id, or a worker without a session store, saves nothing. */
export async function closeState({ stores, key, session }: CloseState): Promise<void> {
  const sessionKey = sessionKeyOf(key);
  if (stores.session === undefined || sessionKey === undefined) return;
  const { session: store } = stores;
  keyValues(sessionKey, ['appName', 'userId', 'sessionId']);
  const state = mergeStates([session]);
  checkSize(state, 'the session');
  await calling('session', () => store.save(sessionKey, state));
}

async function loadStates({ stores, key }: OpenState): Promise<readonly JsonObject[]> {
  const { app, user, session } = stores;
  const userKey = userKeyOf(key);
  const sessionKey = sessionKeyOf(key);
  keyValues({ ...userKey, sessionId: 'none', ...sessionKey }, ['appName', 'userId', 'sessionId']);
  return await Promise.all([
    load('app', async () => await app?.load({ appName: userKey.appName })),
    load('user', async () => await user?.load(userKey)),
    load('session', async () => sessionKey && (await session?.load(sessionKey))),
  ]);
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
    throw new StoreError(`the ${name} store failed: ${message}`, { cause: error, retryable });
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
  throw new SessionTooLarge(
    `${subject} has ${bytes} bytes of JSON; at most ${limits.session} are kept`,
  );
}
