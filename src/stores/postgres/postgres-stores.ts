import { LonghaulError } from '../../protocol/errors';
import { memoryStoreOver, memoryTables } from '../memory-rows';
import type { MemoryStore } from '../memory-store';
import { stateTableNames, storesOver } from '../state-rows';
import type { AppStore, SessionStore, StateStores, UserStore } from '../state-store';
import type { Statement, StatementRow, Statements } from '../statements';
import {
  boundedBegin,
  createPool,
  inTransaction,
  keepListening,
  type PostgresConnectionOptions,
  postgresError,
  type PostgresPool,
  type PostgresQuery,
  requirePostgres,
} from './postgres-pool';
import { migratePostgres, quoted } from './postgres-migrations';

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
  #pool: PostgresPool | undefined;
  #isClosed = false;

  constructor(options: PostgresStoresOptions = {}) {
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
    this.#options = options;
    this.#schema = schema;
    ({
      app: this.app,
      user: this.user,
      session: this.session,
    } = storesOver(this.#run, inSchema(schema, stateTableNames)));
    this.memory = { default: memoryStoreOver(this.#run, inSchema(schema, memoryTables)) };
  }

  /** Waits for calls in flight. Calls after it fail, as ones that another worker may repeat. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#options.pool === undefined) await this.#pool?.end();
  }

  readonly #run: Statements = async (...statements) => {
    try {
      const pool = await this.#migratedPool();
      return await inTransaction(pool, (query) => inOrder(query, statements), boundedBegin);
    } catch (error) {
      throw postgresError(error);
    }
  };

  /** A migration that failed is tried again by the next call. */
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
    await migratePostgres(pool, this.#schema);
    return pool;
  }
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

function inSchema<Names extends Readonly<Record<string, string>>>(
  schema: string,
  names: Names,
): Record<keyof Names, string> {
  const qualified = Object.entries(names).map(([key, name]) => [key, `${quoted(schema)}.${name}`]);
  return Object.fromEntries(qualified) as Record<keyof Names, string>;
}

/** PostgreSQL's `$1`, `$2`, … for each `?` in turn. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${(count += 1)}`);
}
