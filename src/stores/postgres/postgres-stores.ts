import { StoreError } from '../../protocol/error-classes';
import {
  memoryStoreOver,
  memoryTable,
  type StatementRow,
  type StatementValue,
} from '../memory-rows';
import type { MemoryStore } from '../memory-store';
import { storesOver, type StateRows, type StateTable } from '../state-rows';
import type { AppStore, SessionStore, StateStores, UserStore } from '../state-store';
import { postgresError } from './postgres-errors';
import { migratePostgres, quoted } from './postgres-migrations';
import { createPool, type PostgresConnectionOptions, type PostgresPool } from './postgres-pool';

export type PostgresStoresOptions = PostgresConnectionOptions & {
  /** Default `public`. One that does not exist is made. */
  readonly schema?: string;
};

const schemaName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/**
 * Session, user and app state and the turns of conversations in PostgreSQL. The tables are made by the first call, whichever worker
 * makes it.
 *
 * @example
 * const stores = new PostgresStores({ connectionString: process.env.DATABASE_URL });
 */
export class PostgresStores implements Required<StateStores> {
  readonly app: AppStore;
  readonly user: UserStore;
  readonly session: SessionStore;
  readonly memory: { readonly default: MemoryStore };
  readonly #options: PostgresStoresOptions;
  readonly #schema: string;
  #ready: Promise<PostgresPool> | undefined;
  #pool: Promise<PostgresPool> | undefined;
  #isClosed = false;

  constructor(options: PostgresStoresOptions = {}) {
    const { schema = 'public', connectionString = 'postgresql://' } = options;
    if (!/^(?:postgres(?:ql)?:\/\/|socket:|\/)/.test(connectionString))
      throw new StoreError('the connection string of PostgreSQL must start with postgresql://');
    if (!schemaName.test(schema))
      throw new StoreError(`'${schema}' is not the name of a schema: ${schemaName.source}`);
    this.#options = options;
    this.#schema = schema;
    ({ app: this.app, user: this.user, session: this.session } = storesOver(this.#rows()));
    this.memory = { default: this.#memory() };
  }

  /** Waits for calls in flight. Calls after it fail, as ones that another worker may repeat. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const pool = await this.#pool?.catch(() => undefined);
    if (this.#options.pool === undefined) await pool?.end();
  }

  #rows(): StateRows {
    return {
      read: async (table, key) => {
        const sql = `select value::text as value from ${this.#nameOf(table)} where ${matches(table)}`;
        const value = (await this.#query(sql, key))[0]?.['value'];
        return typeof value === 'string' ? value : undefined;
      },
      write: async (table, key, value) => {
        const columns = [...table.columns, 'value'];
        const sql = `insert into ${this.#nameOf(table)} (${columns.join(', ')})
          values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
          on conflict (${table.columns.join(', ')})
          do update set value = excluded.value, updated_at = now()`;
        await this.#query(sql, [...key, value]);
      },
      remove: async (table, key) => {
        await this.#query(`delete from ${this.#nameOf(table)} where ${matches(table)}`, key);
      },
    };
  }

  #memory(): MemoryStore {
    return memoryStoreOver(
      (sql, values) => this.#query(numbered(sql), values),
      this.#nameOf({ name: memoryTable }),
    );
  }

  #nameOf(table: Pick<StateTable, 'name'>): string {
    return `${quoted(this.#schema)}.${table.name}`;
  }

  async #query(sql: string, values: readonly StatementValue[]): Promise<readonly StatementRow[]> {
    try {
      const pool = await this.#migratedPool();
      return (await pool.query(sql, [...values])).rows;
    } catch (error) {
      throw postgresError(error);
    }
  }

  /** A migration that failed is tried again by the next call. */
  async #migratedPool(): Promise<PostgresPool> {
    if (this.#isClosed)
      throw new StoreError('PostgreSQL: the store is closed', { retryable: true });
    const ready = (this.#ready ??= this.#migrate());
    try {
      return await ready;
    } catch (error) {
      if (this.#ready === ready) this.#ready = undefined;
      throw error;
    }
  }

  async #migrate(): Promise<PostgresPool> {
    const { pool: own } = this.#options;
    this.#pool ??= own === undefined ? createPool(this.#options) : Promise.resolve(own);
    const pool = await this.#pool;
    await migratePostgres(pool, this.#schema);
    return pool;
  }
}

/** PostgreSQL's `$1`, `$2`, … for each `?` in turn. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${(count += 1)}`);
}

function matches({ columns }: StateTable): string {
  return columns.map((column, index) => `${column} = $${index + 1}`).join(' and ');
}
