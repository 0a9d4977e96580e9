import { createPool, type PostgresPool } from '../stores/postgres/postgres-pool';
import type { LiveEvent } from '../protocol/live';
import type { Deltas } from './deltas';

export type PostgresDeltasOptions = {
  /** `postgresql://…`. Default: your `pool`, else the variables `PGHOST`, `PGUSER` and so on. */
  readonly connectionString?: string;
  /** Your own pool, for instance with TLS. `close()` leaves it open. */
  readonly pool?: PostgresPool;
};

/** Deltas for workers and readers in many processes, through one PostgreSQL. */
export class PostgresDeltas implements Deltas {
  readonly #pool: PostgresPool;

  constructor(options: PostgresDeltasOptions = {}) {
    this.#pool = options.pool ?? createPool(options);
  }

  publish(_event: LiveEvent): void {
    throw new Error('to be written');
  }

  subscribe(_root: string, _listener: (event: LiveEvent) => void): () => void {
    throw new Error('to be written');
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
