import { createHash } from 'node:crypto';
import { defined } from '../../../base';
import { timeouts } from '../../../protocol';
import {
  createPool,
  keepListening,
  type ListeningClient,
  type ListeningPool,
} from '../../state/postgres/postgres-pool';
import {
  checkedSchema,
  inSchema,
  type PostgresStoresOptions,
} from '../../state/postgres/postgres-stores';

export type DatabaseOptions = Pick<PostgresStoresOptions, 'connectionString' | 'schema'> & {
  /** Your own pool, for instance with TLS. Give it `connectionTimeoutMillis` and `statement_timeout`. `close()` leaves it open. */
  readonly pool?: ListeningPool;
};

type Rows = readonly Readonly<Record<string, unknown>>[];

/** One connection to write, one to listen, one to delete. */
const maxConnections = 3;

/** If this many requests wait for the pool, no more are made. */
const maxWaiting = 6;

/** The table of deltas. Every call ends in time, even if the server does not answer. */
export class DeltasDatabase {
  readonly table: string;
  /** Notifications belong to a database, not to a schema. */
  readonly channel: string;
  readonly #schema: string;
  readonly #options: DatabaseOptions;
  #pool: ListeningPool | undefined;
  #waiting = 0;
  #isPrepared = false;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#schema = checkedSchema(options);
    this.table = inSchema(this.#schema, { deltas: 'longhaul_deltas' }).deltas;
    this.channel = `longhaul_deltas_${hashOf(this.#schema)}`;
  }

  /** A connection to a database that has the table. */
  async connect(): Promise<DeltasConnection> {
    const connection = new DeltasConnection(await this.#client());
    try {
      if (!this.#isPrepared) await this.#prepare(connection);
      this.#isPrepared = true;
      return connection;
    } catch (error) {
      connection.release(true);
      throw error;
    }
  }

  /** Runs one statement. */
  async run(text: string, values: unknown[]): Promise<void> {
    const connection = await this.connect();
    let isBroken = true;
    try {
      await connection.query(text, values);
      isBroken = false;
    } finally {
      if (isBroken) this.prepareAgain();
      connection.release(isBroken);
    }
  }

  /** Call it after a failure, because somebody may have dropped the table. */
  prepareAgain(): void {
    this.#isPrepared = false;
  }

  async close(): Promise<void> {
    if (this.#options.pool !== undefined || this.#pool === undefined) return;
    await within(timeouts.deltas, this.#pool.end()).catch(() => undefined);
  }

  async #client(): Promise<ListeningClient> {
    if (this.#waiting >= maxWaiting) throw new Error('the pool gives no connection');
    this.#pool ??= keepListening(this.#options.pool ?? ownPool(this.#options));
    this.#waiting += 1;
    const connecting = this.#pool.connect();
    const done = (): void => {
      this.#waiting -= 1;
    };
    connecting.then(done, done);
    try {
      return await within(timeouts.deltas, connecting);
    } catch (error) {
      connecting.then(
        (late) => late.release(true),
        () => undefined,
      );
      throw error;
    }
  }

  /** Checks for the table first, because a user of the table may have no right to make one. Several processes may make it at once. */
  async #prepare(connection: DeltasConnection): Promise<void> {
    const [found] = await connection.query(
      'select to_regclass($1) is not null as "table", to_regnamespace($2) is not null as "schema"',
      [this.table, `"${this.#schema}"`],
    );
    if (found?.['table'] === true) return;
    const schema =
      found?.['schema'] === true ? '' : `create schema if not exists "${this.#schema}";`;
    await connection.query(
      `select pg_advisory_xact_lock(hashtextextended('longhaul deltas', 0)); ${schema} ${tableOf(this.table)}`,
    );
  }
}

function ownPool({ connectionString }: DatabaseOptions): ListeningPool {
  const options = { ...defined({ connectionString }), maxConnections };
  return createPool(options, { statementMs: timeouts.deltas });
}

/**
 * The table is unlogged: its rows live for minutes, and neither replicas nor archives get them. `root` and `call` are hashes. A row without
 * `call` means only that a run has moved.
 */
function tableOf(table: string): string {
  return `
    create unlogged table if not exists ${table} (
      id bigint generated always as identity primary key,
      written_at timestamptz not null default now(),
      root text collate "C" not null,
      call text collate "C",
      value bytea not null
    );
    create index if not exists longhaul_deltas_of_root on ${table} (root, id) where call is not null;
    create index if not exists longhaul_deltas_of_call on ${table} (call) where call is not null;
    create index if not exists longhaul_deltas_by_age on ${table} (written_at);`;
}

/** A connection in use. */
export class DeltasConnection {
  readonly #client: ListeningClient;
  #isReleased = false;

  constructor(client: ListeningClient) {
    this.#client = client;
  }

  async query(text: string, values: unknown[] = []): Promise<Rows> {
    // A text without values may have many statements.
    const result =
      values.length === 0 ? this.#client.query(text) : this.#client.query(text, values);
    return (await within(timeouts.deltas, result)).rows;
  }

  listen(onNotified: (payload: string) => void, onLost: () => void): void {
    this.#client.on('notification', ({ payload = '' }) => onNotified(payload));
    this.#client.on('error', onLost);
  }

  release(isBroken: boolean): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.release(isBroken);
  }
}

/** A hash of 64 bits, as text. */
export function hashOf(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** Stops waiting after a time. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
