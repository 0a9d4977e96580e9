import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { LonghaulError } from '../../protocol/errors';
import { databaseError, type DatabaseErrorFields } from '../state-rows';
import type { Statement, StatementRow, Statements } from '../statements';

/** In order; the first makes version 1. They only add: during a deploy, older workers go on with a newer database. */
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
];

const longestPauseMs = 50;

/** Primary result codes of what may pass: busy, locked, an I/O error, a full disk, too many open files. */
const passing = { busy: [5, 6], others: [10, 13, 14] };

/** Rows in a SQLite file. Calls block the thread for moments only: for a lock that another process holds they wait asleep. */
export class SqliteRows {
  #database: Sqlite.DatabaseSync | undefined;
  readonly #busyTimeoutMs: number;
  #isReady = false;

  constructor(path: string, busyTimeoutMs: number) {
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
    for (;;) {
      try {
        return work(this.#ready());
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline)
          throw databaseError('SQLite', error, isPassing);
      }
      await pause(1 + Math.random() * longestPauseMs);
    }
  }

  /** Made ready by the first call: several processes that start on one new file take turns. */
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

/** It takes the lock to write at once: one that waits for it after it has read would fail. */
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

/** Loaded when it is first used: Node 22 prints a warning then, and lacks it before 22.13. */
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

/** Brings a database to the newest version. Two processes may do so at once: the second waits for the first and has nothing to do. */
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
