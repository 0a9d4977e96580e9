// FileResults and SqliteResults in folders of their own; no server.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SqliteResults } from '../../src/stores/results/database-results';
import { FileResults } from '../../src/stores/results/file-results';
import { SqliteStores } from '../../src/stores/state/sqlite/sqlite-stores';
import {
  keyOf,
  resultStoreContract,
  strangeScopes,
  writeWhileDeleted,
} from './result-store-contract';

const folder = mkdtempSync(join(tmpdir(), 'longhaul-results-'));
const files = (): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });
const bytes = Buffer.from('bytes');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('FileResults', () => {
  const shared = join(folder, 'shared');

  const cases = resultStoreContract(() => ({
    store: new FileResults({ folder: shared }),
    other: new FileResults({ folder: shared }),
  }));
  it.each(cases)('$name', async ({ run }) => await run());

  it('loses nothing that is written while a scope is deleted', async () => {
    const root = join(folder, 'written');
    await writeWhileDeleted(new FileResults({ folder: root }), new FileResults({ folder: root }));
    expect(
      readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.gone'),
      ),
    ).toEqual([]);
  });

  it('gives back what a process was deleting when it was killed', async () => {
    const root = join(folder, 'cut-off');
    const store = new FileResults({ folder: root });
    await store.put(keyOf('s', bytes), bytes);
    const path = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('scope'),
    );
    const scope = join(root, dirname(path ?? ''));
    renameSync(scope, `${scope}.1000000000000.gone`);
    expect(await store.get(keyOf('s', bytes))).toBeUndefined();
    expect(await store.scopes({ limit: 1 })).toMatchObject([{ scope: 's' }]);
    expect(await store.get(keyOf('s', bytes))).toEqual(bytes);
  });

  it('writes only below its folder, and only its own user may read it', async () => {
    const root = join(folder, 'modes');
    const store = new FileResults({ folder: root });
    const before = files().filter((path) => !path.startsWith('modes'));
    for (const scope of strangeScopes) await store.put(keyOf(scope, bytes), bytes);
    expect(files().filter((path) => !path.startsWith('modes'))).toEqual(before);
    for (const path of [root, ...readdirSync(root, { recursive: true, encoding: 'utf8' })]) {
      const found = statSync(path === root ? root : join(root, path));
      expect(found.mode & 0o777).toBe(found.isDirectory() ? 0o700 : 0o600);
    }
  });

  it('leaves nothing half-written when a process is killed in the middle of a put', async () => {
    const root = join(folder, 'killed');
    const writer = spawn(
      process.execPath,
      [
        '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
        join(__dirname, 'result-store-writer.mts'),
        root,
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exited = once(writer, 'exit');
    const isTemporary = (path: string) => path.endsWith('.tmp');
    const hasTemporary = () =>
      files().some((path) => path.startsWith('killed') && isTemporary(path));
    await once(writer.stdout, 'data');
    await eventually(hasTemporary);
    writer.kill('SIGKILL');
    await exited;
    const store = new FileResults({ folder: root });
    const contents = files().filter((path) =>
      /^killed\/..\/[0-9a-f]{64}\/[0-9a-f]{64}$/.test(path),
    );
    for (const path of contents) {
      const digest = path.slice(-64);
      const read = await store.get({ scope: 'killed', digest });
      expect(keyOf('killed', read ?? new Uint8Array()).digest).toBe(digest);
    }
    await store.put(keyOf('killed', bytes), bytes);
    expect(Buffer.from((await store.get(keyOf('killed', bytes))) ?? []).equals(bytes)).toBe(true);
    await store.deleteScope('killed');
    expect(files().filter((path) => path.startsWith('killed') && isTemporary(path))).toEqual([]);
  });

  it('does not take a folder that is gone or cannot be read for lost content', async () => {
    const root = join(folder, 'gone');
    const store = new FileResults({ folder: root });
    await store.put(keyOf('s', bytes), bytes);
    renameSync(root, `${root}-elsewhere`);
    const failed = { code: 'StoreError', retryable: true };
    await expect(store.get(keyOf('s', bytes))).rejects.toMatchObject(failed);
    await expect(store.scopes({ limit: 1 })).rejects.toMatchObject(failed);
    writeFileSync(root, 'a file');
    await expect(store.get(keyOf('s', bytes))).rejects.toMatchObject(failed);
    await expect(store.put(keyOf('s', bytes), bytes)).rejects.toMatchObject(failed);
    rmSync(root);
    renameSync(`${root}-elsewhere`, root);
    expect(Buffer.from((await store.get(keyOf('s', bytes))) ?? []).equals(bytes)).toBe(true);
  });

  it('refuses a folder that cannot be one', () => {
    writeFileSync(join(folder, 'file'), '');
    for (const given of ['', ' ', 'a\0b', join(folder, 'file')])
      expect(() => new FileResults({ folder: given })).toThrow(/must be a path|cannot use/);
  });
});

describe('SqliteResults', () => {
  const path = join(folder, 'results.db');
  const stores = { store: new SqliteResults({ path }), other: new SqliteResults({ path }) };
  afterAll(async () => {
    for (const store of Object.values(stores)) await store.close();
  });

  it.each(resultStoreContract(() => stores))('$name', async ({ run }) => await run());

  it('shares a file with the other stores', async () => {
    const state = new SqliteStores({ path });
    await state.app.save({ appName: 'shared' }, { city: 'Oslo' });
    await stores.store.put(keyOf('s', bytes), bytes);
    expect(await state.app.load({ appName: 'shared' })).toEqual({ city: 'Oslo' });
    await state.close();
  });

  it('refuses calls once it is closed, as ones that may be retried', async () => {
    const store = new SqliteResults({ path });
    await store.close();
    const failed = { code: 'StoreError', retryable: true };
    await expect(store.get(keyOf('s', bytes))).rejects.toMatchObject(failed);
    expect(() => new SqliteResults({ path: 'file:x' })).toThrow(/must not be a URI/);
  });
});

async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
