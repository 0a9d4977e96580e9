// A real PostgreSQL server: the one of LONGHAUL_TEST_POSTGRES, else one started for these tests.

import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import {
  migratePostgres,
  postgresMigrations,
  PostgresStores,
} from '../../src/stores/state/postgres/postgres-stores';
import { memoryStoreContract } from '../../src/testing/memory-store-contract';
import { stateStoreContract } from '../../src/testing/state-store-contract';
import { startPostgres, type PostgresServer } from './postgres';

const minute = 60_000;
const key = { appName: 'travel', userId: 'ada', sessionId: 's1' };
const turn = {
  ...key,
  id: '0193f2a0-0000-7000-8000-000000000001',
  invocationId: 'run-1',
  user: 'Where to?',
  assistant: 'Oslo.',
  createdAt: '2026-03-01T12:00:00.000Z',
};

describe('PostgresStores', () => {
  const schema = `longhaul_test_${randomUUID().slice(0, 8)}`;
  const opened: PostgresStores[] = [];
  const schemas = new Set<string>();
  let server: PostgresServer;
  let admin: Pool;

  beforeAll(async () => {
    server = await startPostgres();
    admin = new Pool({ connectionString: server.url, max: 2 });
    admin.on('error', () => undefined);
  }, minute);

  afterAll(async () => {
    await Promise.all(opened.map((stores) => stores.close()));
    for (const name of schemas) await admin.query(`drop schema if exists "${name}" cascade`);
    await admin.end();
    await server.stop();
  }, minute);

  function open(name = schema): PostgresStores {
    schemas.add(name);
    const stores = new PostgresStores({
      connectionString: server.url,
      schema: name,
      maxConnections: 2,
    });
    opened.push(stores);
    return stores;
  }

  describe('in every case of the contracts', () => {
    const handles: PostgresStores[] = [];
    let next = 0;

    /** Two pools serve all cases in turn: a pool for each would exhaust the server. */
    function handle(): PostgresStores {
      if (handles.length < 2) handles.push(open());
      next += 1;
      return handles[next % handles.length] ?? open();
    }

    const cases = [
      ...(['app', 'user', 'session'] as const).flatMap((kind) =>
        stateStoreContract({ kind, open: () => handle()[kind] }),
      ),
      ...memoryStoreContract({ open: () => handle().memory.default }),
    ];
    it.each(cases)('$name', async ({ run }) => await run());
  });

  it('makes its tables once when many workers start at once', async () => {
    const name = `${schema}_Many`;
    const stores = Array.from({ length: 8 }, () => open(name));
    await Promise.all(
      stores.map(({ memory }, index) => memory.default.saveTurn({ ...turn, userId: `${index}` })),
    );
    const { rows } = await admin.query(`select version from "${name}".longhaul_migrations`);
    expect(rows).toEqual(postgresMigrations.map((_, index) => ({ version: index + 1 })));
  });

  it('keeps the states of version 1, which knew no turns, and takes turns', async () => {
    const name = `${schema}_v1`;
    schemas.add(name);
    await migratePostgres(admin, name, postgresMigrations.slice(0, 1));
    const values = Object.values(key);
    await admin.query(
      `insert into "${name}".longhaul_session_state values ($1, $2, $3, '{"city":"Oslo"}')`,
      values,
    );
    const workers = [open(name), open(name), open(name)];
    const states = await Promise.all(workers.map(({ session }) => session.load(key)));
    expect(states).toEqual(workers.map(() => ({ city: 'Oslo' })));
    await workers[0]?.memory.default.saveTurn(turn);
    expect(await workers[1]?.memory.default.loadTurns(key)).toEqual([turn]);
  });

  it('can be read by SQL', async () => {
    const stores = open();
    await stores.memory.default.saveTurn({ ...turn, appName: 'sql', eventData: { tokens: 7 } });
    const { rows } = await admin.query(
      `select id, created_at, value->>'assistant' as answer, value->'eventData'->>'tokens' as tokens
         from "${schema}".longhaul_memory_turns where app_name = 'sql'`,
    );
    const createdAt = new Date(turn.createdAt);
    expect(rows).toEqual([
      { id: turn.id, created_at: createdAt, answer: turn.assistant, tokens: '7' },
    ]);
  });

  it('needs no right to create where the tables are there', async () => {
    const role = `${schema}_role`;
    await open().app.save(key, { theme: 'dark' });
    await admin.query(`create role "${role}" login password 'for-tests'`);
    await admin.query(`grant usage on schema "${schema}" to "${role}"`);
    await admin.query(`grant select on all tables in schema "${schema}" to "${role}"`);
    const url = new URL(server.url);
    [url.username, url.password] = [role, 'for-tests'];
    const stores = new PostgresStores({ connectionString: url.href, schema });
    try {
      expect(await stores.app.load(key)).toEqual({ theme: 'dark' });
      await expect(stores.app.save(key, {})).rejects.toMatchObject({
        code: 'StoreError',
        retryable: false,
      });
    } finally {
      await stores.close();
      await admin.query(`drop owned by "${role}"`);
      await admin.query(`drop role "${role}"`);
    }
  });

  it('has the server give up what nobody waits for any more, also in a pool of your own', async () => {
    const name = `${schema}_bounded`;
    const stores = open(name);
    await stores.session.save(key, {});
    await admin.query(`
      create function "${name}".tell() returns trigger language plpgsql as $$
        begin
          new.value := json_build_object(
            'statement', current_setting('statement_timeout'),
            'lock', current_setting('lock_timeout'),
            'idle', current_setting('idle_in_transaction_session_timeout'));
          return new;
        end $$;
      create trigger tell before update on "${name}".longhaul_session_state
        for each row execute function "${name}".tell()`);
    for (const { session } of [stores, new PostgresStores({ pool: admin, schema: name })]) {
      await session.save(key, {});
      expect(await session.load(key)).toEqual({ statement: '12s', lock: '8s', idle: '20s' });
    }
    expect((await admin.query('show statement_timeout')).rows).toEqual([
      { statement_timeout: '0' },
    ]);
  });

  it('fails as one that may be retried when the server gave a statement up', async () => {
    const name = `${schema}_slow`;
    const stores = open(name);
    await stores.session.save(key, {});
    await admin.query(`
      create function "${name}".wait() returns trigger language plpgsql as $$
        begin perform pg_cancel_backend(pg_backend_pid());
        perform pg_sleep(60); return new; end $$;
      create trigger wait before update on "${name}".longhaul_session_state
        for each row execute function "${name}".wait()`);
    await expect(stores.session.save(key, {})).rejects.toMatchObject({
      code: 'StoreError',
      retryable: true,
    });
    expect(await stores.session.load(key)).toEqual({});
  });

  it('goes on after the server ended all its connections', async () => {
    const stores = open();
    await stores.session.save(key, { city: 'Oslo' });
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'longhaul'`,
    );
    await expect(eventually(() => stores.session.load(key))).resolves.toEqual({ city: 'Oslo' });
  });

  it('takes a pool of your own and leaves it open', async () => {
    const stores = new PostgresStores({ pool: admin, schema });
    await stores.user.save(key, { name: 'Ada' });
    expect(await stores.user.load(key)).toEqual({ name: 'Ada' });
    await stores.close();
    expect((await admin.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('refuses calls once it is closed, as ones another worker may repeat', async () => {
    const stores = open();
    await stores.app.load(key);
    await stores.close();
    await stores.close();
    await expect(stores.app.load(key)).rejects.toMatchObject({
      code: 'StoreError',
      message: 'PostgreSQL: the store is closed',
      retryable: true,
    });
  });

  it.each([
    { name: 'a user it does not know', change: (url: URL) => (url.username = 'longhaul_none') },
    { name: 'a database that is not there', change: (url: URL) => (url.pathname = '/none') },
    { name: 'a port where nothing listens', change: (url: URL) => (url.port = '1') },
  ])('fails with a StoreError that may be retried for $name', async ({ change }) => {
    const url = new URL(server.url);
    change(url);
    const stores = new PostgresStores({ connectionString: url.href });
    const error: unknown = await stores.app.load(key).catch((thrown: unknown) => thrown);
    await stores.close();
    expect(error).toMatchObject({ code: 'StoreError', retryable: true });
    expect(String(error)).not.toContain(decodeURIComponent(url.password));
  });

  it('fails with a StoreError that is not retried when a table is gone', async () => {
    const stores = open(`${schema}_gone`);
    await stores.app.load(key);
    await admin.query(`drop table "${schema}_gone".longhaul_app_state`);
    await expect(stores.app.load(key)).rejects.toMatchObject({
      code: 'StoreError',
      retryable: false,
    });
  });

  it.each([
    { name: 'is no URL', connectionString: 'ada:secret@127.0.0.1/db' },
    { name: "is another database's", connectionString: 'mysql://ada:secret@127.0.0.1/db' },
  ])('refuses a connection string that $name, and does not show it', ({ connectionString }) => {
    expect(() => new PostgresStores({ connectionString })).toThrow(
      /^the connection string of PostgreSQL must start with postgresql:\/\/$/,
    );
  });

  it('does not retry with a connection string that cannot be read', async () => {
    const connectionString = 'postgresql://ada:secret@127.0.0.1:99999/db';
    const stores = new PostgresStores({ connectionString });
    await expect(stores.app.load(key)).rejects.toMatchObject({
      code: 'StoreError',
      message: 'PostgreSQL: Invalid URL',
      retryable: false,
    });
    await stores.close();
  });

  it.each(['', 'a"b', 'a b', '1a', 'a'.repeat(64)])('refuses the schema %j', (name) => {
    expect(() => new PostgresStores({ schema: name })).toThrow(/is not the name of a schema/);
  });
});

/** A retryable failure is tried again, as Temporal would. */
async function eventually<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 5 || (error as { retryable?: boolean }).retryable !== true) throw error;
    }
  }
}
