import { memoryStoreOver } from '../memory-rows';
import type { MemoryStore } from '../memory-store';
import { storesOver } from '../state-rows';
import type { AppStore, SessionStore, StateStores, UserStore } from '../state-store';
import { checkSqlitePath } from './sqlite-path';
import { SqliteRows } from './sqlite-rows';

export type SqliteStoresOptions = {
  /** A file; it is made if it is not there, its folder is not. Several processes may share it. */
  readonly path: string;
  /** How long a call waits for a lock that another process holds, before it fails as one that may be retried. Default 5,000. */
  readonly busyTimeoutMs?: number;
};

/**
 * Session, user and app state and the turns of conversations in a SQLite file, by Node's own `node:sqlite`.
 *
 * @example
 * const worker = await createWorker({ runners, stores: new SqliteStores({ path: 'state.db' }) });
 */
export class SqliteStores implements Required<StateStores> {
  readonly app: AppStore;
  readonly user: UserStore;
  readonly session: SessionStore;
  readonly memory: { readonly default: MemoryStore };
  readonly #rows: SqliteRows;

  constructor({ path, busyTimeoutMs = 5_000 }: SqliteStoresOptions) {
    checkSqlitePath(path);
    this.#rows = new SqliteRows(path, busyTimeoutMs);
    ({ app: this.app, user: this.user, session: this.session } = storesOver(this.#rows.run));
    this.memory = { default: memoryStoreOver(this.#rows.run) };
  }

  /** Stores that are gone when they are closed: for tests. */
  static inMemory(): SqliteStores {
    return new SqliteStores({ path: ':memory:' });
  }

  /** Calls after it fail, as ones that another worker may repeat. */
  async close(): Promise<void> {
    this.#rows.close();
  }
}
