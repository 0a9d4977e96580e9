// A real PostgreSQL server: the one of LONGHAUL_TEST_POSTGRES, else one started for these tests.

import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import {
  PostgresDeltas,
  type PostgresDeltasOptions,
} from '../../src/stores/deltas/postgres-deltas';
import { aesCodec } from '../encryption/aes-codec';
import { Call, checkClose, deltasContract, type Handles, Heard, newRoot } from './deltas-contract';
import { type PostgresServer, startPostgres } from './postgres';
import { Proxy } from './tcp-proxy';

const minute = 60_000;

describe('PostgresDeltas', () => {
  const schema = `longhaul_deltas_${randomUUID().slice(0, 8)}`;
  const opened: { close(): Promise<void> }[] = [];
  let server: PostgresServer;
  let admin: Pool;
  let shared: Handles;

  const open = (options: PostgresDeltasOptions = {}, warnings: string[] = []): PostgresDeltas => {
    const deltas = new PostgresDeltas({ connectionString: server.url, schema, ...options });
    deltas.logTo((message) => void warnings.push(message));
    opened.push(deltas);
    return deltas;
  };
  const rows = async (): Promise<readonly Record<string, unknown>[]> => {
    const found = await admin.query<Record<string, unknown>>(
      `select * from "${schema}".longhaul_deltas order by id`,
    );
    return found.rows;
  };

  beforeAll(async () => {
    server = await startPostgres();
    admin = new Pool({ connectionString: server.url, max: 1 });
    admin.on('error', () => undefined);
    shared = { worker: open(), reader: open() };
  }, minute);

  afterAll(async () => {
    await Promise.all(opened.map((deltas) => deltas.close()));
    await admin.query(`drop schema if exists "${schema}" cascade`);
    await admin.end();
    await server.stop();
  }, minute);

  it.each(deltasContract(() => shared))('$name', async ({ run }) => await run());

  it('closes', async () => {
    await checkClose({ worker: open(), reader: open() });
  });

  it('loses nothing and repeats nothing when its connections break', async () => {
    const proxy = await Proxy.to(server.url);
    const warnings: string[] = [];
    const worker = open({ connectionString: proxy.url });
    const reader = open({ connectionString: proxy.url }, warnings);
    const call = new Call(newRoot());
    const heard = new Heard();
    reader.subscribe(call.place.root, heard.listener);
    worker.publish(call.begin());
    let said = '';
    for (let cut = 0; cut < 5; cut += 1) {
      for (const word of ['a', 'b', 'c']) {
        said += word;
        worker.publish(call.delta(word));
        if (word === 'b') proxy.cut();
      }
      await heard.untilText(said);
    }
    expect(heard.isWhole).toBe(true);
    expect(heard.events.filter(({ kind }) => kind === 'begin')).toHaveLength(1);
    expect(warnings.length).toBeLessThanOrEqual(5);
    await Promise.all([worker.close(), reader.close(), proxy.close()]);
  });

  it('waits for a server that never answers, and goes on when it does', async () => {
    const proxy = await Proxy.to(server.url, 'silent');
    const warnings: string[] = [];
    const worker = open({ connectionString: proxy.url });
    const warned = new Promise<void>((resolve) =>
      worker.logTo((message) => warnings.push(message) === 1 && resolve()),
    );
    const call = new Call(newRoot());
    const heard = new Heard();
    shared.reader.subscribe(call.place.root, heard.listener);
    worker.publish(call.begin());
    worker.publish(call.delta('early '));
    await warned;
    proxy.mode = 'open';
    worker.publish(call.delta('late'));
    worker.publish(call.end());
    await heard.untilMoved();
    expect(heard.text).toBe('early late');
    expect(warnings).toEqual([expect.stringMatching(/^PostgresDeltas cannot write: PostgreSQL: /)]);
    await Promise.all([worker.close(), proxy.close()]);
  });

  it.each<[title: string, change: (url: URL) => void]>([
    ['a server that is away', (url) => (url.port = '1')],
    ['a wrong password', (url) => (url.password = 'wrong')],
    ['a database that does not exist', (url) => (url.pathname = '/missing')],
  ])('warns once about %s, and ends', async (_title, change) => {
    const url = new URL(server.url);
    change(url);
    const warnings: string[] = [];
    const deltas = open({ connectionString: url.href });
    const warned = new Promise<void>((resolve) =>
      deltas.logTo((message) => warnings.push(message) === 2 && resolve()),
    );
    const call = new Call(newRoot());
    deltas.subscribe(call.place.root, () => undefined);
    deltas.publish(call.begin());
    await warned;
    deltas.publish(call.end());
    await deltas.close();
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/^PostgresDeltas cannot read: /),
      expect.stringMatching(/^PostgresDeltas cannot write: /),
    ]);
  });

  it('makes its table again', async () => {
    const warnings: string[] = [];
    const own = `${schema}_dropped`;
    const worker = open({ schema: own }, warnings);
    const reader = open({ schema: own });
    const [before, after] = [new Heard(), new Heard()];
    const [first, second] = [new Call(newRoot()), new Call(newRoot())];
    reader.subscribe(first.place.root, before.listener);
    worker.publish(first.begin());
    await before.until(({ events }) => events.length === 1);
    await admin.query(`drop schema "${own}" cascade`);
    worker.publish(first.delta('lost'));
    await worker.close();
    expect(warnings).toEqual([expect.stringContaining('does not exist')]);
    const next = open({ schema: own });
    reader.subscribe(second.place.root, after.listener);
    next.publish(second.begin());
    next.publish(second.end());
    await after.untilMoved();
    await Promise.all([next.close(), reader.close()]);
    await admin.query(`drop schema "${own}" cascade`);
  });

  it('deletes the rows of calls that ended, and old rows, and keeps those of calls in progress', async () => {
    await admin.query(`delete from "${schema}".longhaul_deltas`);
    await admin.query(
      `insert into "${schema}".longhaul_deltas (written_at, root, call, value)
       values (now() - interval '1 hour', 'old', 'old', ''), (now() - interval '2 minutes', 'old', null, '')`,
    );
    const worker = open();
    const [ended, open_] = [new Call(newRoot()), new Call(newRoot())];
    for (const call of [ended, open_]) {
      worker.publish(call.begin());
      worker.publish(call.delta('secret'));
    }
    worker.publish(ended.end());
    await worker.close();
    const left = await rows();
    expect(left).toHaveLength(1);
    expect(String(left[0]?.['value'])).toContain(open_.place.root);
  });

  it('encrypts its rows, and refuses rows of the other kind', async () => {
    await admin.query(`delete from "${schema}".longhaul_deltas`);
    const warnings: string[] = [];
    const encryption = aesCodec();
    const worker = open({ encryption });
    const [right, wrong] = [open({ encryption }), open({}, warnings)];
    expect([right.inClear, wrong.inClear]).toEqual([false, true]);
    const call = new Call(newRoot());
    const [heard, nothing] = [new Heard(), new Heard()];
    right.subscribe(call.place.root, heard.listener);
    wrong.subscribe(call.place.root, nothing.listener);
    worker.publish(call.begin());
    worker.publish(call.delta('secret'));
    await heard.untilText('secret');
    const stored = await rows();
    expect(stored.length).toBeGreaterThan(0);
    const text = JSON.stringify(stored.map((row) => ({ ...row, value: String(row['value']) })));
    expect(text).not.toContain('secret');
    expect(text).not.toContain(call.place.root);
    const clear = open();
    clear.publish(new Call(call.place.root, { attempt: 2 }).begin());
    await nothing.until(({ events }) => events.length === 1);
    expect(nothing.events).toMatchObject([{ kind: 'begin', attempt: 2 }]);
    expect(warnings).toEqual([expect.stringContaining('rows are encrypted')]);
  });

  it("leaves the user's own pool open", async () => {
    const pool = new Pool({ connectionString: server.url, max: 3 });
    const deltas = open({ pool });
    const call = new Call(newRoot());
    const heard = new Heard();
    deltas.subscribe(call.place.root, heard.listener);
    deltas.publish(call.begin());
    await heard.until(({ events }) => events.length === 1);
    await deltas.close();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it('refuses options that cannot work', () => {
    expect(() => new PostgresDeltas({ connectionString: 'mysql://x' })).toThrow('postgresql://');
    expect(() => new PostgresDeltas({ schema: 'a b' })).toThrow('not the name of a schema');
  });
});
