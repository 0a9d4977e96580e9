// FileResults and SqliteResults in folders of their own; no server.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileResults } from '../../src/results/file-results';
import { keyOf, resultStoreContract, strangeScopes } from './result-store-contract';

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
});
