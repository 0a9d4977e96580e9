import { memoryStoreOver } from '../memory-rows';
import type { MemoryStore } from '../memory-store';
import {
  databaseError,
  type DatabaseErrorFields,
  type Statement,
  type StatementRow,
  type Statements,
  storesOver,
} from '../state-rows';
import type { AppStore, SessionStore, StateStores, UserStore } from '../state-store';
import { retry } from '../../../base';
import { LonghaulError } from '../../../protocol';
import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

/** The migrations, in order; the first makes version 1. They only add, so that older workers can use a newer database during a deploy. */
export const sqliteMigrations: readonly string[] = [
  `create table longhaul_app_state (
     app_name text not null primary key,
     value text not null,
     updated_at text not null
   ) strict;
   create table longhaul_user_state (
     app_name text not null,
     user_id text not null,
     value text not null,
     updated_at text not null,
     primary key (app_name, user_id)
   ) strict;
   create table longhaul_session_state (
     app_name text not null,
     user_id text not null,
     session_id text not null,
     value text not null,
     updated_at text not null,
     primary key (app_name, user_id, session_id)
   ) strict;`,
  `create table longhaul_memory_turns (
     app_name text not null,
     user_id text not null,
     session_id text not null,
     id text not null,
     created_at text not null,
     value text not null,
     primary key (app_name, user_id, session_id, id)
   ) strict;
   create index longhaul_memory_turns_in_order
     on longhaul_memory_turns (app_name, user_id, session_id, created_at, id);`,
  `alter table longhaul_app_state add column version text not null default '';
   alter table longhaul_user_state add column version text not null default '';
   alter table longhaul_session_state add column version text not null default '';
   create table longhaul_memory_keys (
     app_name text not null,
     user_id text not null,
     session_id text not null,
     generation text not null,
     updated_at text not null,
     primary key (app_name, user_id, session_id)
   ) strict;`,
  `create table longhaul_results (
     scope text not null,
     digest text not null,
     written_at text not null,
     bytes blob not null,
     primary key (scope, digest)
   ) strict;`,
];

const longestPauseMs = 50;

/** Primary result codes of errors that may pass: busy, locked, an I/O error, a full disk, too many open files. */
const passing = { busy: [5, 6], others: [10, 13, 14] };

export type SqliteStoresOptions = {
  /** The database file. The store makes it if it does not exist; its folder must exist. Several processes may share the file. */
  readonly path: string;
  /** Milliseconds that a call waits for another process's lock. Then it fails with a retryable `StoreError`. Default 5,000. */
  readonly busyTimeoutMs?: number;
};

/**
 * Session, user and app state, and the turns of conversations, in a SQLite file, by Node's own `node:sqlite`. A failed call rejects with
 * `StoreError`; `retryable` is true if another attempt may succeed.
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

  constructor(options: SqliteStoresOptions) {
    this.#rows = new SqliteRows(options);
    ({ app: this.app, user: this.user, session: this.session } = storesOver(this.#rows.run));
    this.memory = { default: memoryStoreOver(this.#rows.run) };
  }

  /** Stores in memory, for tests. */
  static inMemory(): SqliteStores {
    return new SqliteStores({ path: ':memory:' });
  }

  /** Closes the file. Later calls fail with a retryable `StoreError`. */
  async close(): Promise<void> {
    this.#rows.close();
  }
}

/** The path must be plain: SQLite reads `file:…`, `?` and `#` as a URI, and `..` leads out of the folder. */
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

/** Rows in a SQLite file. Calls block the thread only for moments: while another process holds a lock they sleep. */
export class SqliteRows {
  #database: Sqlite.DatabaseSync | undefined;
  readonly #busyTimeoutMs: number;
  #isReady = false;

  constructor({ path, busyTimeoutMs = 5_000 }: SqliteStoresOptions) {
    checkSqlitePath(path);
    this.#busyTimeoutMs = busyTimeoutMs;
    const { DatabaseSync } = sqliteModule();
    try {
      this.#database = new DatabaseSync(path);
    } catch (error) {
      throw databaseError(`SQLite cannot open '${path}'`, error, () => false);
    }
  }

  /** The statements of one call are one transaction. */
  readonly run: Statements = async (...statements) => {
    const [single] = statements;
    return await this.#whenFree((database) =>
      single !== undefined && statements.length === 1
        ? [rowsOf(database, single)]
        : inTransaction(database, statements),
    );
  };

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  async #whenFree<Result>(work: (database: Sqlite.DatabaseSync) => Result): Promise<Result> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    try {
      return await retry(() => work(this.#ready()), {
        while: (error) => isBusy(error) && performance.now() < deadline,
        pause: () => pause(1 + Math.random() * longestPauseMs),
      });
    } catch (error) {
      throw databaseError('SQLite', error, isPassing);
    }
  }

  /** The first call makes it ready. Several processes that start on one new file take turns. */
  #ready(): Sqlite.DatabaseSync {
    const database = this.#database;
    if (database === undefined)
      throw new LonghaulError('StoreError', 'SQLite: the store is closed', { retryable: true });
    if (!this.#isReady) {
      database.exec('pragma busy_timeout = 20');
      database.exec('pragma journal_mode = wal');
      migrateSqlite(database);
      this.#isReady = true;
    }
    return database;
  }
}

function rowsOf(database: Sqlite.DatabaseSync, [sql, values]: Statement): StatementRow[] {
  return database.prepare(sql).all(...values);
}

/** Takes the write lock at once, because a transaction that asks for it after a read would fail. */
function inTransaction(
  database: Sqlite.DatabaseSync,
  statements: readonly Statement[],
): StatementRow[][] {
  database.exec('begin immediate');
  try {
    const ran: StatementRow[][] = [];
    for (const statement of statements) {
      if (ran.at(-1)?.length === 0) break;
      ran.push(rowsOf(database, statement));
    }
    database.exec('commit');
    return ran;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Loaded on first use. Node 22 prints a warning then, and Node before 22.13 does not have it. */
function sqliteModule(): typeof Sqlite {
  const found = process.getBuiltinModule('node:sqlite') as typeof Sqlite | undefined;
  if (found !== undefined) return found;
  throw new LonghaulError(
    'StoreError',
    `node:sqlite is not in Node ${process.versions.node}: use Node 22.13 or newer, or start it with --experimental-sqlite`,
  );
}

function primaryCode(error: unknown): number | undefined {
  const { errcode } = Object(error) as DatabaseErrorFields;
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

function isBusy(error: unknown): boolean {
  return passing.busy.includes(primaryCode(error) ?? 0);
}

function isPassing(error: unknown): boolean {
  return [...passing.busy, ...passing.others].includes(primaryCode(error) ?? 0);
}

/** Brings a database to the newest version. Two processes may do so at once: the second waits for the first. */
export function migrateSqlite(
  database: DatabaseSync,
  migrations: readonly string[] = sqliteMigrations,
): void {
  database.exec('begin immediate');
  try {
    database.exec(
      'create table if not exists longhaul_migrations (version integer primary key, applied_at text not null) strict',
    );
    const row = database.prepare('select max(version) as version from longhaul_migrations').get();
    const version = Number(row?.['version'] ?? 0);
    migrations.slice(version).forEach((migration, index) => {
      database.exec(migration);
      database
        .prepare(`insert into longhaul_migrations values (?, strftime('%Y-%m-%dT%H:%M:%fZ'))`)
        .run(version + index + 1);
    });
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}
