import {
  inSchema,
  PostgresRows,
  type PostgresStoresOptions,
} from '../state/postgres/postgres-stores';
import { SqliteRows, type SqliteStoresOptions } from '../state/sqlite/sqlite-stores';
import type { Statements } from '../state/state-rows';
import {
  checkDigest,
  type DeleteScopeOptions,
  oldEnough,
  type ResultKey,
  type ResultScope,
  type ResultStore,
  type ScopePage,
} from './result-store';

const tables = { results: 'longhaul_results' } as const;

/** Keeps each content in a row. */
class DatabaseResults implements ResultStore {
  readonly #run: Statements;
  readonly #table: string;

  constructor(run: Statements, table: string) {
    this.#run = run;
    this.#table = table;
  }

  async put({ scope, digest }: ResultKey, bytes: Uint8Array): Promise<void> {
    checkDigest(digest);
    const sql = `insert into ${this.#table} (scope, digest, written_at, bytes) values (?, ?, ?, ?)
      on conflict (scope, digest)
      do update set written_at = excluded.written_at, bytes = excluded.bytes`;
    await this.#run([sql, [scope, digest, new Date().toISOString(), bytes]]);
  }

  async get({ scope, digest }: ResultKey): Promise<Uint8Array | undefined> {
    checkDigest(digest);
    const sql = `select bytes from ${this.#table} where scope = ? and digest = ?`;
    const [[row] = []] = await this.#run([sql, [scope, digest]]);
    return row?.['bytes'] as Uint8Array | undefined;
  }

  async scopes({ after = '', limit }: ScopePage): Promise<readonly ResultScope[]> {
    const sql = `select scope, max(written_at) as written_at from ${this.#table} where scope > ?
      group by scope order by scope limit ?`;
    const [rows = []] = await this.#run([sql, [after, limit]]);
    return rows.map((row) => ({
      scope: String(row['scope']),
      lastWrittenAt: new Date(row['written_at'] as string | Date),
    }));
  }

  /** PostgreSQL looks again only at a row that somebody writes meanwhile, so the time of each row counts, too. */
  async deleteScope(scope: string, options: DeleteScopeOptions = {}): Promise<number> {
    const { unlessWrittenSince: since, except = [] } = options;
    const before = oldEnough(options);
    const conditions: readonly (readonly [string, readonly string[]])[] = [
      ['scope = ?', [scope]],
      ...(before === undefined ? [] : [['written_at < ?', [before.toISOString()]] as const]),
      ...(since === undefined
        ? []
        : [[this.#isNotWrittenSince, [scope, since.toISOString()]] as const]),
      ...(except.length === 0
        ? []
        : [[`digest not in (${except.map(() => '?').join(', ')})`, except] as const]),
    ];
    const where = conditions.map(([sql]) => sql).join(' and ');
    const sql = `delete from ${this.#table} where ${where} returning digest`;
    const [rows = []] = await this.#run([sql, conditions.flatMap(([, values]) => values)]);
    return rows.length;
  }

  get #isNotWrittenSince(): string {
    return `not exists
      (select 1 from ${this.#table} as newer where newer.scope = ? and newer.written_at >= ?)`;
  }
}

/**
 * Keeps results in a SQLite file, by Node's own `node:sqlite`. It may be the file of `SqliteStores`. A failed call rejects with
 * `StoreError`; `retryable` is true if another attempt may succeed.
 *
 * @example
 * const worker = await createWorker({ runners, results: new SqliteResults({ path: 'state.db' }) });
 */
export class SqliteResults extends DatabaseResults {
  readonly #rows: SqliteRows;

  constructor(options: SqliteStoresOptions) {
    const rows = new SqliteRows(options);
    super(rows.run, tables.results);
    this.#rows = rows;
  }

  /** Closes the file. Later calls fail with a retryable `StoreError`. */
  async close(): Promise<void> {
    this.#rows.close();
  }
}

/**
 * Keeps results in a table of PostgreSQL. The first call makes the table. It may be in the schema of `PostgresStores`. A failed call
 * rejects with `StoreError`; `retryable` is true if another attempt may succeed.
 *
 * @example
 * const results = new PostgresResults({ connectionString: process.env.DATABASE_URL });
 */
export class PostgresResults extends DatabaseResults {
  readonly #rows: PostgresRows;

  constructor(options: PostgresStoresOptions = {}) {
    const rows = new PostgresRows(options);
    super(rows.run, inSchema(rows.schema, tables).results);
    this.#rows = rows;
  }

  /** Waits for running calls, and closes the pool. Later calls fail with a retryable `StoreError`. */
  async close(): Promise<void> {
    await this.#rows.close();
  }
}
