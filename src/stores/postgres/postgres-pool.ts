import { defined } from '../../base/json';
import type * as pgModule from 'pg';
import { loadPeer } from '../../protocol/peers';
import type { LonghaulError } from '../../protocol/errors';
import { databaseError } from '../state-rows';

/**
 * SQLSTATEs of what may pass without a change to the data: connection, login and database (an operator puts them right), resources,
 * shutdown and start, time-outs, deadlock, lock, a standby that takes over, disk.
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

/** What is used of a `Pool` of the package `pg`. */
export type PostgresPool = {
  query(text: string, values?: unknown[]): Promise<Rows>;
  connect(): Promise<PostgresClient>;
  end(): Promise<void>;
  on?(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
};

/** Within a transaction. */
export type PostgresQuery = (text: string, values?: Values) => Promise<Rows>;

export type PostgresConnectionOptions = {
  /** `postgresql://…`. Without it and without `pool` the variables `PGHOST`, `PGUSER` and so on count. */
  readonly connectionString?: string;
  /** A pool of your own, with TLS and whatever else it needs. It stays yours: `close()` leaves it open. */
  readonly pool?: PostgresPool;
  /** Default 5. */
  readonly maxConnections?: number;
};

const connectMs = 10_000;

const queryMs = 30_000;

/**
 * The server itself gives up what the attempt that asked for it does not wait for any more: an attempt has a minute, and makes at most
 * three statements. A worker that hangs between two of them does not keep what it has locked.
 */
export const boundedBegin =
  "begin; set local statement_timeout = '12s'; set local lock_timeout = '8s'; " +
  "set local idle_in_transaction_session_timeout = '20s'";

/** Refuses early: the store is made when the worker starts, and the package loaded with the first call. */
export function requirePostgres(): void {
  loadPeer('pg', () => require.resolve('pg'));
}

/** `pg` is loaded when it is first used: most workers have no PostgreSQL. */
export function createPool(options: PostgresConnectionOptions): PostgresPool {
  const { connectionString, maxConnections = 5 } = options;
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- Jest cannot run a native import() of the built package
  const { Pool } = loadPeer('pg', () => require('pg') as typeof pgModule);
  const pool = new Pool({
    ...defined({ connectionString }),
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    query_timeout: queryMs,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'longhaul',
  });
  pool.on('error', forget);
  return pool;
}

/**
 * A connection that breaks while it is lent out would end the process: the pool listens only to those that it keeps. What the server says
 * last may come together with what lends the connection out, so the listener is there before the borrower is.
 */
export function keepListening(pool: PostgresPool): PostgresPool {
  const heard = new WeakSet<PostgresClient>();
  pool.on?.('acquire', (client) => {
    if (heard.has(client)) return;
    heard.add(client);
    client.on('error', forget);
  });
  return pool;
}

/** A connection that breaks leaves the pool. The next call makes another one. */
function forget(): void {}

/** Runs `work` in one transaction. A connection on which even the rollback fails is thrown away. */
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

/** An error without a SQLSTATE never reached the server or lost it. */
export function postgresError(error: unknown): LonghaulError {
  return databaseError('PostgreSQL', error, ({ code }) => {
    if (typeof code !== 'string') return true;
    return sqlState.test(code) ? passing.test(code) : code !== 'ERR_INVALID_URL';
  });
}
