import type { JsonObject } from '../base/json';

export type AppKey = { readonly appName: string };
export type UserKey = AppKey & { readonly userId: string };
export type SessionKey = UserKey & { readonly sessionId: string };

/**
 * Keeps one JSON object per key. Saving replaces it whole; deleting what is not there is no error. What goes wrong is thrown as
 * `StoreError`; any other error is taken for one that may pass, and the call is made again.
 */
export type StateStore<Key> = {
  load(key: Key): Promise<JsonObject | undefined>;
  save(key: Key, value: JsonObject): Promise<unknown>;
  delete(key: Key): Promise<void>;
};

/** State all users of an application share. Runs read it; only your own code writes it. */
export type AppStore = StateStore<AppKey>;

/** State of one user. Runs read it; only your own code writes it. */
export type UserStore = StateStore<UserKey>;

export type SaveStateOptions = {
  /** Save only while this is the key's version. */
  readonly after: string;
  /** The version that the save makes. Where it is the key's already, this save was made before: nothing changes. */
  readonly version: string;
};

/**
 * The session as the last completed run of its key left it.
 *
 * Every save and every delete makes another version of the key. A run says which version it started from. So a save that was delayed,
 * and arrives after another save or a delete, changes nothing. Check and write must be one step: one statement, or one script.
 */
export type SessionStore = Omit<StateStore<SessionKey>, 'save'> & {
  /** False: another save or a delete came first. Without options it saves in any case. */
  save(key: SessionKey, value: JsonObject, options?: SaveStateOptions): Promise<boolean>;
  exists(key: SessionKey): Promise<boolean>;
  /** An empty text until the first save or delete of the key. */
  version(key: SessionKey): Promise<string>;
};

/** Where a worker's runs find state to start from, and where they leave their session. */
export type StateStores = {
  readonly app?: AppStore;
  readonly user?: UserStore;
  readonly session?: SessionStore;
};
