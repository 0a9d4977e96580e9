import { LonghaulError } from '../../../protocol';
import { memoryStoreOver, memoryTables } from '../memory-rows';
import type { MemoryStore } from '../memory-store';
import {
  type Statement,
  type StatementRow,
  type Statements,
  stateTableNames,
  storesOver,
} from '../state-rows';
import type { AppStore, SessionStore, StateStores, UserStore } from '../state-store';
import {
  boundedBegin,
  createPool,
  inTransaction,
  keepListening,
  type PostgresClient,
  type PostgresConnectionOptions,
  postgresError,
  type PostgresPool,
  type PostgresQuery,
  requirePostgres,
} from './postgres-pool';

/** The migrations, in order; the first makes version 1. They only add, so that older workers can use a newer database during a deploy. */
export const postgresMigrations: readonly ((schema: string) => string)[] = [
  (schema: string): string => `
    create table ${schema}.longhaul_app_state (
      app_name text not null primary key,
      value json not null,
      updated_at timestamptz not null default now()
    );
    create table ${schema}.longhaul_user_state (
      app_name text not null,
      user_id text not null,
      value json not null,
      updated_at timestamptz not null default now(),
      primary key (app_name, user_id)
    );
    create table ${schema}.longhaul_session_state (
      app_name text not null,
      user_id text not null,
      session_id text not null,
      value json not null,
      updated_at timestamptz not null default now(),
      primary key (app_name, user_id, session_id)
    );`,
  (schema: string): string => `
    create table ${schema}.longhaul_memory_turns (
      app_name text not null,
      user_id text not null,
      session_id text not null,
      id text collate "C" not null,
      created_at timestamptz not null,
      value json not null,
      primary key (app_name, user_id, session_id, id)
    );
    create index longhaul_memory_turns_in_order
      on ${schema}.longhaul_memory_turns (app_name, user_id, session_id, created_at, id);`,
  (schema: string): string => `
    alter table ${schema}.longhaul_app_state add column version text not null default '';
    alter table ${schema}.longhaul_user_state add column version text not null default '';
    alter table ${schema}.longhaul_session_state add column version text not null default '';
    create table ${schema}.longhaul_memory_keys (
      app_name text not null,
      user_id text not null,
      session_id text not null,
      generation text not null,
      updated_at timestamptz not null,
      primary key (app_name, user_id, session_id)
    );`,
  (schema: string): string => `
    create table ${schema}.longhaul_results (
      scope text collate "C" not null,
      digest text collate "C" not null,
      written_at timestamptz not null,
      bytes bytea not null,
      primary key (scope, digest)
    );`,
];

export type PostgresStoresOptions = PostgresConnectionOptions & {
  /** The schema of the tables. The store makes it if it does not exist. Default `public`. */
  readonly schema?: string;
};

const schemaName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/**
 * Session, user and app state, and the turns of conversations, in PostgreSQL. The first call makes the tables. A failed call rejects with
 * `StoreError`; `retryable` is true if another attempt may succeed.
 *
 * @example
 * const stores = new PostgresStores({ connectionString: process.env.DATABASE_URL });
 */
export class PostgresStores implements Required<StateStores> {
  readonly app: AppStore;
  readonly user: UserStore;
  readonly session: SessionStore;
  readonly memory: { readonly default: MemoryStore };
  readonly #rows: PostgresRows;

  constructor(options: PostgresStoresOptions = {}) {
    this.#rows = new PostgresRows(options);
    const { run, schema } = this.#rows;
    ({
      app: this.app,
      user: this.user,
      session: this.session,
    } = storesOver(run, inSchema(schema, stateTableNames)));
    this.memory = { default: memoryStoreOver(run, inSchema(schema, memoryTables)) };
  }

  /** Waits for running calls, and closes the pool. Later calls fail with a retryable `StoreError`. */
  async close(): Promise<void> {
    await this.#rows.close();
  }
}

/** Rows in a schema of PostgreSQL. The first call makes the tables. */
export class PostgresRows {
  readonly schema: string;
  readonly #options: PostgresStoresOptions;
  #ready: Promise<PostgresPool> | undefined;
  #pool: PostgresPool | undefined;
  #isClosed = false;

  constructor(options: PostgresStoresOptions) {
    this.#options = options;
    this.schema = checkedSchema(options);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#options.pool === undefined) await this.#pool?.end();
  }

  /** The statements of one call are one transaction. */
  readonly run: Statements = async (...statements) => {
    try {
      const pool = await this.#migratedPool();
      return await inTransaction(pool, (query) => inOrder(query, statements), boundedBegin);
    } catch (error) {
      throw postgresError(error);
    }
  };

  /** The next call repeats a failed migration. */
  async #migratedPool(): Promise<PostgresPool> {
    if (this.#isClosed)
      throw new LonghaulError('StoreError', 'PostgreSQL: the store is closed', { retryable: true });
    const ready = (this.#ready ??= this.#migrate());
    try {
      return await ready;
    } catch (error) {
      if (this.#ready === ready) this.#ready = undefined;
      throw error;
    }
  }

  async #migrate(): Promise<PostgresPool> {
    this.#pool ??= this.#options.pool ?? createPool(this.#options);
    const pool = keepListening(this.#pool);
    await migratePostgres(pool, this.schema);
    return pool;
  }
}

/** The schema of the options. Throws `StoreError` for options that cannot work, and `PackageMissing`. */
export function checkedSchema(options: PostgresStoresOptions): string {
  const { schema = 'public', connectionString = 'postgresql://' } = options;
  if (!/^(?:postgres(?:ql)?:\/\/|socket:|\/)/.test(connectionString))
    throw new LonghaulError(
      'StoreError',
      'the connection string of PostgreSQL must start with postgresql://',
    );
  if (!schemaName.test(schema))
    throw new LonghaulError(
      'StoreError',
      `'${schema}' is not the name of a schema: ${schemaName.source}`,
    );
  if (options.pool === undefined) requirePostgres();
  return schema;
}

async function inOrder(
  query: PostgresQuery,
  statements: readonly Statement[],
): Promise<(readonly StatementRow[])[]> {
  const ran: (readonly StatementRow[])[] = [];
  for (const [sql, values] of statements) {
    if (ran.at(-1)?.length === 0) break;
    ran.push((await query(numbered(sql), values)).rows);
  }
  return ran;
}

export function inSchema<Names extends Readonly<Record<string, string>>>(
  schema: string,
  names: Names,
): Record<keyof Names, string> {
  const qualified = Object.entries(names).map(([key, name]) => [key, `${quoted(schema)}.${name}`]);
  return Object.fromEntries(qualified) as Record<keyof Names, string>;
}

/** Replaces each `?` with PostgreSQL's `$1`, `$2`, … */
function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${(count += 1)}`);
}

type Query = PostgresClient['query'];

/**
 * Brings a schema to the newest version. Any number of workers may do so at once: an advisory lock lets them take turns. If the schema is
 * the newest already, it locks nothing and needs no right to create.
 */
export async function migratePostgres(
  pool: PostgresPool,
  schema: string,
  migrations = postgresMigrations,
): Promise<void> {
  const readVersion = (query: Query) => versionOf(query, schema);
  if ((await readVersion((...args) => pool.query(...args))) >= migrations.length) return;
  await inTransaction(pool, async (query) => {
    await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `longhaul migrations of ${schema}`,
    ]);
    const { rows } = await query('select 1 from pg_namespace where nspname = $1', [schema]);
    if (rows.length === 0) await query(`create schema ${quoted(schema)}`);
    await query(
      `create table if not exists ${migrationsTable(schema)}
         (version integer primary key, applied_at timestamptz not null default now())`,
    );
    const version = await readVersion(query);
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue;
      await query(migration(quoted(schema)));
      await query(`insert into ${migrationsTable(schema)} (version) values ($1)`, [index + 1]);
    }
  });
}

async function versionOf(query: Query, schema: string): Promise<number> {
  const table = migrationsTable(schema);
  const found = await query('select to_regclass($1) is not null as found', [table]);
  if (found.rows[0]?.['found'] !== true) return 0;
  const { rows } = await query(`select coalesce(max(version), 0) as version from ${table}`);
  return Number(rows[0]?.['version']);
}

function migrationsTable(schema: string): string {
  return `${quoted(schema)}.longhaul_migrations`;
}

/** The name of a schema was checked: nothing in it needs an escape. */
function quoted(schema: string): string {
  return `"${schema}"`;
}
