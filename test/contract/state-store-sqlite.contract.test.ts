// SQLite in memory and in a file of a temporary folder; no server.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStores } from '../../src/stores/state/sqlite/sqlite-stores';
import { memoryStoreContract } from '../../src/testing/memory-store-contract';
import { stateStoreContract } from '../../src/testing/state-store-contract';

const kinds = ['app', 'user', 'session'] as const;

describe('SqliteStores in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-sqlite-'));
  const opened: SqliteStores[] = [];

  /** A connection of its own for each handle, as several processes have it. */
  function open(): SqliteStores {
    const stores = new SqliteStores({ path: join(folder, 'state.db') });
    opened.push(stores);
    return stores;
  }

  afterAll(async () => {
    await Promise.all(opened.map((stores) => stores.close()));
    rmSync(folder, { recursive: true });
  });

  for (const kind of kinds) {
    const cases = stateStoreContract({ kind, open: () => open()[kind] });
    it.each(cases)('$name', async ({ run }) => await run());
  }

  const cases = memoryStoreContract({ open: () => open().memory.default });
  it.each(cases)('$name', async ({ run }) => await run());
});

describe('SqliteStores in memory', () => {
  const stores = SqliteStores.inMemory();

  afterAll(() => stores.close());

  for (const kind of kinds) {
    const cases = stateStoreContract({ kind, open: () => stores[kind] });
    it.each(cases)('$name', async ({ run }) => await run());
  }

  const cases = memoryStoreContract({ open: () => stores.memory.default });
  it.each(cases)('$name', async ({ run }) => await run());
});
