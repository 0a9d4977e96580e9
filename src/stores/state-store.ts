import type { JsonObject } from '../protocol/json';

export type AppKey = { readonly appName: string };
export type UserKey = AppKey & { readonly userId: string };
export type SessionKey = UserKey & { readonly sessionId: string };

/**
 * Keeps one JSON object per key. Saving replaces it whole; deleting what is not there is no error. What goes wrong is thrown as
 * `StoreError`; any other error is taken for one that may pass, and the call is made again.
 */
export type StateStore<Key> = {
  load(key: Key): Promise<JsonObject | undefined>;
  save(key: Key, value: JsonObject): Promise<void>;
  delete(key: Key): Promise<void>;
};

/** State all users of an application share. Runs read it; only your own code writes it. */
export type AppStore = StateStore<AppKey>;

/** State of one user. Runs read it; only your own code writes it. */
export type UserStore = StateStore<UserKey>;

/** The session as the last completed run of its key left it. */
export type SessionStore = StateStore<SessionKey> & {
  exists(key: SessionKey): Promise<boolean>;
};

/** Where a worker's runs find state to start from, and where they leave their session. */
export type StateStores = {
  readonly app?: AppStore;
  readonly user?: UserStore;
  readonly session?: SessionStore;
};
