// The database of a round, reached through what can be cut: a file of SQLite, or a PostgreSQL server behind a proxy.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { PostgresStores, SqliteStores, type MemoryStore, type StateStores } from 'longhaul/stores';
import { Proxy } from './proxy.mts';

export type Store = {
  /** For workers: a path, or a URL of the proxy. */
  readonly url: string;
  /** As it really is. */
  readonly memory: MemoryStore;
  readonly state: Required<StateStores>;
  /** Killed, and started again on its data so much later; false where it cannot be. */
  kill(downMs: number): boolean;
  cut(how: 'down' | 'slow', ms: number): void;
  close(): Promise<void>;
};

const postgresServer = resolve(import.meta.dirname, '../../test/contract/postgres-server.mts');

export async function openStore(kind: 'sqlite' | 'postgres', folder: string): Promise<Store> {
  if (kind === 'postgres') return await openPostgres();
  const path = join(folder, 'memory.db');
  const stores = new SqliteStores({ path });
  const close = async (): Promise<void> => stores.close();
  const memory = stores.memory.default;
  return { url: path, memory, state: stores, kill: () => false, cut: () => undefined, close };
}

async function openPostgres(): Promise<Store> {
  const server = spawn(process.execPath, [postgresServer], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([
    once(server.stdout, 'data'),
    once(server, 'close').then(() => Promise.reject(new Error('PostgreSQL did not start'))),
  ])) as [Buffer];
  const direct = new URL(line.toString().trim());
  const proxy = await Proxy.open(Number(direct.port));
  const proxied = new URL(direct);
  proxied.port = String(proxy.port);
  const stores = new PostgresStores({ connectionString: direct.href });
  return {
    url: proxied.href,
    memory: stores.memory.default,
    state: stores,
    kill: (downMs) => server.stdin.write(`kill ${downMs}\n`),
    cut: (how, ms) => proxy.disturb(how, ms),
    close: async () => {
      await stores.close();
      await proxy.close();
      const ended = once(server, 'close');
      server.stdin.end();
      await ended;
    },
  };
}
