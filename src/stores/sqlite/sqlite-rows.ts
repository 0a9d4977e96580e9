import type * as Sqlite from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreError } from '../../protocol/error-classes';
import type { StatementRow, StatementValue } from '../memory-rows';
import {
  databaseError,
  type DatabaseErrorFields,
  type StateRows,
  type StateTable,
} from '../state-rows';
import { migrateSqlite } from './sqlite-migrations';

const longestPauseMs = 50;

/** Primary result codes of what may pass: busy, locked, an I/O error, a full disk, too many open files. */
const passing = { busy: [5, 6], others: [10, 13, 14] };

/** Rows in a SQLite file. Calls block the thread for moments only: for a lock that another process holds they wait asleep. */
export class SqliteRows implements StateRows {
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

  async read(table: StateTable, key: readonly string[]): Promise<string | undefined> {
    const sql = `select value from ${table.name} where ${matches(table)}`;
    const row = await this.#run((database) => database.prepare(sql).get(...key));
    return row === undefined ? undefined : String(row['value']);
  }

  async write(table: StateTable, key: readonly string[], value: string): Promise<void> {
    const { name, columns } = table;
    const sql = `insert into ${name} (${columns.join(', ')}, value, updated_at)
      values (${columns.map(() => '?').join(', ')}, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))
      on conflict do update set value = excluded.value, updated_at = excluded.updated_at`;
    await this.#run((database) => database.prepare(sql).run(...key, value));
  }

  async remove(table: StateTable, key: readonly string[]): Promise<void> {
    const sql = `delete from ${table.name} where ${matches(table)}`;
    await this.#run((database) => database.prepare(sql).run(...key));
  }

  /** One statement, with a value for each `?` in it. */
  async query(sql: string, values: readonly StatementValue[]): Promise<readonly StatementRow[]> {
    return await this.#run((database) => database.prepare(sql).all(...values));
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  async #run<Result>(work: (database: Sqlite.DatabaseSync) => Result): Promise<Result> {
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
      throw new StoreError('SQLite: the store is closed', { retryable: true });
    if (!this.#isReady) {
      database.exec('pragma busy_timeout = 20');
      database.exec('pragma journal_mode = wal');
      migrateSqlite(database);
      this.#isReady = true;
    }
    return database;
  }
}

function matches({ columns }: StateTable): string {
  return columns.map((column) => `${column} = ?`).join(' and ');
}

/** Loaded when it is first used: Node 22 prints a warning then, and lacks it before 22.13. */
function sqliteModule(): typeof Sqlite {
  const found = process.getBuiltinModule('node:sqlite') as typeof Sqlite | undefined;
  if (found !== undefined) return found;
  throw new StoreError(
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
