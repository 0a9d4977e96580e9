import type { JsonObject } from '../../base';

export type AppKey = { readonly appName: string };
export type UserKey = AppKey & { readonly userId: string };
export type SessionKey = UserKey & { readonly sessionId: string };

/**
 * Keeps one JSON object per key. A save replaces the whole object. A delete without an object does nothing. Throw `StoreError` with
 * `retryable: false` for an error that a retry does not help. After any other error the call is retried.
 */
export type StateStore<Key> = {
  load(key: Key): Promise<JsonObject | undefined>;
  save(key: Key, value: JsonObject): Promise<unknown>;
  delete(key: Key): Promise<void>;
};

/** State that all users of an application share. Runs read it; only your own code writes it. */
export type AppStore = StateStore<AppKey>;

/** State of one user. Runs read it; only your own code writes it. */
export type UserStore = StateStore<UserKey>;

export type SaveStateOptions = {
  /** Save only if the key has this version. */
  readonly after: string;
  /** The version that the save makes. If the key has it already, this is a repeated save: nothing changes. */
  readonly version: string;
};

/**
 * The session after the last completed run of its key.
 *
 * Every save and every delete makes another version of the key. A run names the version that it started from. So a delayed save that
 * arrives after another save or a delete changes nothing. Check and write must be one step: one statement, or one script.
 */
export type SessionStore = Omit<StateStore<SessionKey>, 'save'> & {
  /** False: another save or delete came first, and nothing was saved. Without options it saves always. */
  save(key: SessionKey, value: JsonObject, options?: SaveStateOptions): Promise<boolean>;
  exists(key: SessionKey): Promise<boolean>;
  /** The key's version: an empty text until the first save or delete. */
  version(key: SessionKey): Promise<string>;
};

/** State that runs start from. The session store also keeps the session of completed runs. */
export type StateStores = {
  readonly app?: AppStore;
  readonly user?: UserStore;
  readonly session?: SessionStore;
};
