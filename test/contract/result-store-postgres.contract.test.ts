// A real PostgreSQL server: the one of LONGHAUL_TEST_POSTGRES, else one started for these tests.

import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { PostgresResults } from '../../src/stores/results/database-results';
import { PostgresStores } from '../../src/stores/state/postgres/postgres-stores';
import { type PostgresServer, startPostgres } from './postgres';
import { keyOf, resultStoreContract, writeWhileDeleted } from './result-store-contract';

const minute = 60_000;
const bytes = Buffer.from('bytes');

describe('PostgresResults', () => {
  const schema = `longhaul_results_${randomUUID().slice(0, 8)}`;
  const opened: { close(): Promise<void> }[] = [];
  let server: PostgresServer;
  let admin: Pool;
  let stores: { store: PostgresResults; other: PostgresResults };

  const open = (url = server.url): PostgresResults => {
    const store = new PostgresResults({ connectionString: url, schema, maxConnections: 2 });
    opened.push(store);
    return store;
  };

  beforeAll(async () => {
    server = await startPostgres();
    admin = new Pool({ connectionString: server.url, max: 1 });
    admin.on('error', () => undefined);
    stores = { store: open(), other: open() };
  }, minute);

  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await admin.query(`drop schema if exists "${schema}" cascade`);
    await admin.end();
    await server.stop();
  }, minute);

  it.each(resultStoreContract(() => stores))('$name', async ({ run }) => await run());

  it('loses nothing that is written while a scope is deleted', async () => {
    await writeWhileDeleted(stores.store, stores.other);
  });

  it('shares a schema with the other stores', async () => {
    const state = new PostgresStores({ connectionString: server.url, schema });
    opened.push(state);
    await state.app.save({ appName: 'shared' }, { city: 'Oslo' });
    await stores.store.put(keyOf('s', bytes), bytes);
    expect(await state.app.load({ appName: 'shared' })).toEqual({ city: 'Oslo' });
  });

  it('does not take a server that is gone, or that ends its connections, for lost content', async () => {
    const away = new URL(server.url);
    away.port = '1';
    const failed = { code: 'StoreError', retryable: true };
    await expect(open(away.href).get(keyOf('s', bytes))).rejects.toMatchObject(failed);
    const store = open();
    await store.put(keyOf('s', bytes), bytes);
    await admin.query(
      `create function "${schema}".die() returns trigger language plpgsql as $$
         begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`,
    );
    await admin.query(
      `create trigger die before update on "${schema}".longhaul_results
         for each row execute function "${schema}".die()`,
    );
    await expect(store.put(keyOf('s', bytes), bytes)).rejects.toMatchObject(failed);
    await admin.query(`drop trigger die on "${schema}".longhaul_results`);
    await store.put(keyOf('s', bytes), bytes);
    expect(Buffer.from((await store.get(keyOf('s', bytes))) ?? []).equals(bytes)).toBe(true);
  });
});
