import { memoryStoreOver } from '../memory-rows';
import type { MemoryStore } from '../memory-store';
import { storesOver } from '../state-rows';
import type { AppStore, SessionStore, StateStores, UserStore } from '../state-store';
import { SqliteRows } from './sqlite-rows';
import { LonghaulError } from '../../protocol/errors';

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

/** A plain path of a file. SQLite reads `file:…`, `?` and `#` as a URI; `..` leads out of the folder that was meant. */
export function checkSqlitePath(path: unknown): asserts path is string {
  if (typeof path !== 'string' || path.trim() === '' || path.includes('\0'))
    throw new LonghaulError(
      'StoreError',
      'the path of a SQLite database must be a text that is not empty',
    );
  const problem = problemOf(path);
  if (problem !== undefined)
    throw new LonghaulError(
      'StoreError',
      `the path of a SQLite database must not ${problem}: '${path}'`,
    );
}

function problemOf(path: string): string | undefined {
  if (/[?#]/.test(path)) return `contain '?' or '#'`;
  if (/^file:/i.test(path)) return 'be a URI';
  return path.split(/[/\\]/).includes('..') ? `have '..' as a part` : undefined;
}
