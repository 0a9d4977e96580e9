import { defined } from '../../../base';
import type * as pgModule from 'pg';
import { loadPeer, type LonghaulError } from '../../../protocol';
import { databaseError } from '../state-rows';

/**
 * SQLSTATEs of errors that may pass: connection, login and database (an operator repairs them), resources, shutdown and start,
 * time-outs, deadlock, lock, a standby that takes over, disk.
 */
const passing = /^(?:08|28|3D000|53|57P0|57014|58|40001|40P01|55P03|25006|25P03)/;

const sqlState = /^(?=.*\d)[0-9A-Z]{5}$/;

type Values = readonly unknown[];

type Rows = { readonly rows: readonly Readonly<Record<string, unknown>>[] };

export type PostgresClient = {
  query(text: string, values?: unknown[]): Promise<Rows>;
  release(destroy?: boolean): void;
  on(event: 'error', listener: () => void): unknown;
  removeListener(event: 'error', listener: () => void): unknown;
};

/** The part of a `Pool` of the package `pg` that we use. */
export type PostgresPool = {
  query(text: string, values?: unknown[]): Promise<Rows>;
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
  on?(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
};

export type ListeningClient = PostgresClient & {
  on(
    event: 'notification',
    listener: (notification: { readonly payload?: string | undefined }) => void,
  ): unknown;
};

/** A pool with connections that can listen to notifications. */
export type ListeningPool = Omit<PostgresPool, 'connect'> & { connect(): Promise<ListeningClient> };

/** Runs SQL within a transaction. */
export type PostgresQuery = (text: string, values?: Values) => Promise<Rows>;

export type PostgresConnectionOptions = {
  /** `postgresql://…`. Default: your `pool`, else the variables `PGHOST`, `PGUSER` and so on. */
  readonly connectionString?: string;
  /** Your own pool, for instance with TLS. `close()` leaves it open. */
  readonly pool?: PostgresPool;
  /** The largest number of connections. Default 5. */
  readonly maxConnections?: number;
};

const connectMs = 10_000;

const queryMs = 30_000;

/**
 * Makes the server end statements that nobody waits for any more: an attempt has a minute, and makes at most three statements. A worker
 * that hangs between two statements loses its locks.
 */
export const boundedBegin =
  "begin; set local statement_timeout = '12s'; set local lock_timeout = '8s'; " +
  "set local idle_in_transaction_session_timeout = '20s'";

/** Throws `PackageMissing` when the store is made, not at the first call. */
export function requirePostgres(): void {
  loadPeer('pg', () => require.resolve('pg'));
}

/** Loads `pg` on first use. Most workers do not use PostgreSQL. `statementMs`: when the server ends a statement. */
export function createPool(
  options: PostgresConnectionOptions,
  { statementMs }: { readonly statementMs?: number } = {},
): ListeningPool {
  const { connectionString, maxConnections = 5 } = options;
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- Jest cannot run a native import() of the built package
  const { Pool } = loadPeer('pg', () => require('pg') as typeof pgModule);
  const pool = new Pool({
    ...defined({ connectionString }),
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    ...defined({ statement_timeout: statementMs }),
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'longhaul',
  });
  pool.on('error', forget);
  return pool;
}

/**
 * Listens to errors of connections in use. Without a listener, a connection that breaks in use would end the process. The pool itself
 * listens only to idle connections.
 */
export function keepListening<Pool extends PostgresPool>(pool: Pool): Pool {
  const heard = new WeakSet<PostgresClient>();
  pool.on?.('acquire', (client) => {
    if (heard.has(client)) return;
    heard.add(client);
    client.on('error', forget);
  });
  return pool;
}

/** Ignores the error: the pool drops the connection, and the next call makes another one. */
function forget(): void {}

/** Runs `work` in one transaction. If the rollback fails, it destroys the connection. */
export async function inTransaction<Result>(
  pool: PostgresPool,
  work: (query: PostgresQuery) => Promise<Result>,
  begin = 'begin',
): Promise<Result> {
  const client = await pool.connect();
  client.on('error', forget);
  let isBroken = false;
  try {
    await client.query(begin);
    const result = await work((text, values = []) => client.query(text, [...values]));
    await client.query('commit');
    return result;
  } catch (error) {
    isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    client.removeListener('error', forget);
    client.release(isBroken);
  }
}

/** An error without a SQLSTATE is a lost or failed connection. */
export function postgresError(error: unknown): LonghaulError {
  return databaseError('PostgreSQL', error, ({ code }) => {
    if (typeof code !== 'string') return true;
    return sqlState.test(code) ? passing.test(code) : code !== 'ERR_INVALID_URL';
  });
}
