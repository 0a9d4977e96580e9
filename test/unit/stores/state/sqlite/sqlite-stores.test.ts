// SQLite in files of a temporary folder, and processes that share them; no server.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import {
  migrateSqlite,
  sqliteMigrations,
  SqliteStores,
} from '../../../../../src/stores/state/sqlite/sqlite-stores';

const source = join(__dirname, '../../../../../src');
const key = { appName: 'travel', userId: 'ada', sessionId: 's1' };
const turn = {
  ...key,
  id: '0193f2a0-0000-7000-8000-000000000001',
  invocationId: 'run-1',
  user: 'Where to?',
  assistant: 'Oslo.',
  createdAt: '2026-03-01T12:00:00.000Z',
};

const runSources = pathToFileURL(join(__dirname, '../../../../run-sources.mts')).href;

/** What follows runs in a process of its own. */
const prelude = `
  import '${runSources}';
  const [source, path, user] = process.argv.slice(1);
  const { SqliteStores } = await import(source + '/stores/state/sqlite/sqlite-stores.ts');
`;

describe('SqliteStores', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-sqlite-'));
    path = join(folder, 'state.db');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function runScript(script: string, user: string): ReturnType<typeof spawn> {
    const args = ['--no-warnings', '--input-type=module', '--eval', prelude + script];
    return spawn(process.execPath, [...args, source, path, user], { stdio: 'inherit' });
  }

  it('serves several processes that start on one new file', async () => {
    const script = `
      const stores = new SqliteStores({ path });
      for (let index = 0; index < 20; index += 1) {
        await stores.session.save({ appName: 'a', userId: user, sessionId: String(index) }, { index });
        await stores.app.save({ appName: 'shared' }, { user, index });
        await stores.memory.default.saveTurn({
          appName: 'a', userId: user, sessionId: 's', id: String(index), invocationId: 'run-1',
          user: 'Hello', assistant: 'Hello.', createdAt: new Date().toISOString(),
        });
      }
      await stores.close();
    `;
    const processes = ['ada', 'bob', 'eve'].map((user) => runScript(script, user));
    const codes = await Promise.all(processes.map((each) => once(each, 'exit')));
    expect(codes).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ]);
    const database = new DatabaseSync(path);
    expect({
      ...database.prepare('select count(*) as n from longhaul_session_state').get(),
    }).toEqual({ n: 60 });
    expect({
      ...database.prepare('select count(*) as n from longhaul_memory_turns').get(),
    }).toEqual({ n: 60 });
    database.close();
    const stores = new SqliteStores({ path });
    expect(await stores.app.load({ appName: 'shared' })).toMatchObject({ index: 19 });
    await stores.close();
  });

  it('keeps what was saved when it is opened again', async () => {
    const first = new SqliteStores({ path });
    await first.session.save(key, { city: 'Oslo' });
    await first.memory.default.saveTurn(turn);
    await first.close();
    const second = new SqliteStores({ path });
    expect(await second.session.load(key)).toEqual({ city: 'Oslo' });
    expect(await second.memory.default.loadTurns(key)).toEqual([turn]);
    await second.close();
  });

  it('waits for a lock that another process holds', async () => {
    const stores = new SqliteStores({ path });
    await stores.app.load(key);
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const saved = stores.app.save(key, { city: 'Oslo' });
    setImmediate(() => other.exec('commit'));
    await saved;
    expect(await stores.app.load(key)).toEqual({ city: 'Oslo' });
    other.close();
    await stores.close();
  });

  it('fails as one that may be retried when the lock is never released', async () => {
    const stores = new SqliteStores({ path, busyTimeoutMs: 100 });
    await stores.app.load(key);
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const calls = [stores.app.save(key, {}), stores.memory.default.saveTurn(turn)];
    for (const call of await Promise.allSettled(calls))
      expect(call).toMatchObject({
        reason: { code: 'StoreError', message: 'SQLite: database is locked', retryable: true },
      });
    other.close();
    await stores.close();
  });

  it('works on a database that a newer version has migrated', async () => {
    const newer = new DatabaseSync(path);
    migrateSqlite(newer, [...sqliteMigrations, 'create table longhaul_new (a text) strict']);
    newer.close();
    const stores = new SqliteStores({ path });
    await stores.app.save(key, { city: 'Oslo' });
    expect(await stores.app.load(key)).toEqual({ city: 'Oslo' });
    await stores.close();
  });

  it('adds what an older database lacks, once', () => {
    const database = new DatabaseSync(path);
    const added = [...sqliteMigrations, 'create table longhaul_new (a text) strict'];
    for (const migrations of [sqliteMigrations, added, added]) migrateSqlite(database, migrations);
    const rows = database.prepare('select version from longhaul_migrations').all();
    expect(rows.map((row) => row['version'])).toEqual(added.map((_, index) => index + 1));
    database.close();
  });

  it('keeps the states of version 1, which knew no turns, and takes turns', async () => {
    const database = new DatabaseSync(path);
    migrateSqlite(database, sqliteMigrations.slice(0, 1));
    database.exec(
      `insert into longhaul_session_state values ('travel', 'ada', 's1', '{"city":"Oslo"}', '')`,
    );
    database.close();
    const stores = new SqliteStores({ path });
    expect(await stores.session.load(key)).toEqual({ city: 'Oslo' });
    await stores.memory.default.saveTurn(turn);
    expect(await stores.memory.default.loadTurns(key)).toEqual([turn]);
    await stores.close();
  });

  it('keeps the states and turns of version 2, which knew no versions and generations', async () => {
    const database = new DatabaseSync(path);
    migrateSqlite(database, sqliteMigrations.slice(0, 2));
    database.exec(
      `insert into longhaul_session_state values ('travel', 'ada', 's1', '{"city":"Oslo"}', '')`,
    );
    const add = `insert into longhaul_memory_turns values ('travel', 'ada', 's1', ?, ?, ?)`;
    database.prepare(add).run(turn.id, turn.createdAt, JSON.stringify(turn));
    database.close();
    const stores = new SqliteStores({ path });
    const { session, memory } = stores;
    expect([await session.load(key), await session.version(key)]).toEqual([{ city: 'Oslo' }, '']);
    expect(await session.save(key, {}, { after: '', version: 'a' })).toBe(true);
    expect(await memory.default.loadTurns(key)).toEqual([turn]);
    expect(await memory.default.saveTurn(turn, { generation: '' })).toBe(true);
    await memory.default.clear(key, { generation: '', next: 'b' });
    expect(await memory.default.saveTurn(turn, { generation: '' })).toBe(false);
    await stores.close();
  });

  it('changes nothing when a migration fails', () => {
    const database = new DatabaseSync(path);
    expect(() =>
      migrateSqlite(database, ['create table longhaul_a (a text) strict; create nonsense']),
    ).toThrow('nonsense');
    expect(database.prepare('select name from sqlite_schema').all()).toEqual([]);
    database.close();
  });

  it('leaves the tables of others alone', async () => {
    const other = new DatabaseSync(path);
    other.exec(
      'pragma user_version = 7; create table orders (id text); insert into orders values (1)',
    );
    const stores = new SqliteStores({ path });
    await stores.app.save(key, {});
    expect({ ...other.prepare('select id from orders').get() }).toEqual({ id: '1' });
    expect({ ...other.prepare('pragma user_version').get() }).toEqual({ user_version: 7 });
    other.close();
    await stores.close();
  });

  it('refuses a folder that is not there', () => {
    expect(() => new SqliteStores({ path: join(folder, 'none', 'state.db') })).toThrow(
      expect.objectContaining({
        code: 'StoreError',
        message: expect.stringMatching(/^SQLite cannot open '.*': unable to open database file$/),
      }) as Error,
    );
  });

  it('refuses a file that is no database, and leaves it as it is', async () => {
    writeFileSync(path, 'not a database, but long enough to be looked at'.repeat(20));
    const before = readFileSync(path, 'utf8');
    const stores = new SqliteStores({ path });
    await expect(stores.app.load(key)).rejects.toMatchObject({
      code: 'StoreError',
      message: 'SQLite: file is not a database',
      retryable: false,
    });
    await stores.close();
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('refuses a state that something else has damaged', async () => {
    const stores = new SqliteStores({ path });
    await stores.app.save(key, {});
    const other = new DatabaseSync(path);
    other.exec(`update longhaul_app_state set value = '{"a":'`);
    other.close();
    await expect(stores.app.load(key)).rejects.toMatchObject({
      code: 'StoreError',
      message: 'the stored state is not JSON',
      retryable: false,
    });
    await stores.close();
  });

  it('refuses a turn that something else has damaged', async () => {
    const stores = new SqliteStores({ path });
    await stores.memory.default.saveTurn(turn);
    const other = new DatabaseSync(path);
    other.exec(`update longhaul_memory_turns set value = '{"id":"a"}'`);
    other.close();
    await expect(stores.memory.default.loadTurns(key)).rejects.toMatchObject({
      code: 'StoreError',
      message: 'the stored turn is damaged: appName must be a text that is not empty',
      retryable: false,
    });
    await stores.close();
  });

  it('reads the last turns of a long conversation by the index alone', async () => {
    const stores = new SqliteStores({ path });
    await stores.memory.default.saveTurn(turn);
    const database = new DatabaseSync(path);
    const plan = database
      .prepare(
        `explain query plan select value from longhaul_memory_turns
           where app_name = 'a' and user_id = 'u' and session_id = 's'
           order by created_at desc, id desc limit 20`,
      )
      .all();
    expect(plan.map((step) => step['detail'])).toEqual([
      'SEARCH longhaul_memory_turns USING INDEX longhaul_memory_turns_in_order (app_name=? AND user_id=? AND session_id=?)',
    ]);
    database.close();
    await stores.close();
  });

  it('refuses calls once it is closed, as ones another worker may repeat', async () => {
    const stores = SqliteStores.inMemory();
    await stores.close();
    await stores.close();
    await expect(stores.app.load(key)).rejects.toMatchObject({
      code: 'StoreError',
      message: 'SQLite: the store is closed',
      retryable: true,
    });
  });

  it('loads node:sqlite when it is first used, for Node 22 warns then', () => {
    const script = `
      const isLoaded = () => process.moduleLoadList.some((name) => name.endsWith('node:sqlite') || name.endsWith(' sqlite'));
      const before = isLoaded();
      SqliteStores.inMemory();
      process.stdout.write(JSON.stringify([before, isLoaded()]));
    `;
    const args = ['--no-warnings', '--input-type=module', '--eval', prelude + script, source];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['[false,true]', '']);
  });
});
