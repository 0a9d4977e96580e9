// Pure: stores in memory; no server.

import { closeRun, openRun } from '../../../../src/activities/thread/open-run';
import { checkStores } from '../../../../src/stores/state/memory-store';
import { SqliteStores } from '../../../../src/stores/state/sqlite/sqlite-stores';
import type { StateStores } from '../../../../src/stores/state/state-store';

const key = { appName: 'travel', userId: 'ada', sessionId: 's1' };

describe('openRun and closeRun', () => {
  let stores: SqliteStores;

  beforeEach(() => {
    stores = SqliteStores.inMemory();
  });

  afterEach(() => stores.close());

  it('carry a session from one run of a key to the next', async () => {
    const names = ['app', 'user', 'session'] as const;
    await stores.user.save(key, { name: 'Ada' });
    const { version: after = 'none' } = await openRun(
      { stores },
      { stores: names, key, session: {} },
    );
    const save = { after, version: 'run-1' };
    await closeRun({ stores }, { key, session: { city: 'Oslo', visits: 1 }, save });
    await closeRun({ stores }, { key, session: { city: 'Oslo', visits: 1 }, save });
    expect(await openRun({ stores }, { stores: names, key, session: { city: 'Rome' } })).toEqual({
      session: { name: 'Ada', city: 'Rome', visits: 1 },
      version: 'run-1',
    });
    expect(
      await openRun(
        { stores },
        { stores: names, key, session: { city: 'Rome' }, sessionPrecedence: 'store' },
      ),
    ).toEqual({ session: { name: 'Ada', city: 'Oslo', visits: 1 }, version: 'run-1' });
  });

  it('leave the call to another worker where a store of the run is missing', async () => {
    const { app } = stores;
    await expect(
      openRun({ stores: { app } }, { stores: ['app', 'user', 'session'], key, session: {} }),
    ).rejects.toMatchObject({
      code: 'NotRegisteredHere',
      message:
        'this worker has no user store and no session store: the run started on one that has',
      retryable: true,
    });
    const save = { after: '', version: 'run-1' };
    await expect(closeRun({}, { key, session: {}, save })).rejects.toMatchObject({
      code: 'NotRegisteredHere',
      message: 'this worker has no session store: the run started on one that has',
      retryable: true,
    });
  });

  it('need only the stores the run started with', async () => {
    await stores.user.save(key, { name: 'Ada' });
    const { user } = stores;
    expect(await openRun({ stores: { user } }, { stores: ['user'], key, session: {} })).toEqual({
      session: { name: 'Ada' },
    });
  });
});

describe('the stores of a worker', () => {
  it.each([
    { name: 'none', stores: {} },
    { name: 'those of SQLite', stores: SqliteStores.inMemory() },
  ])('may be $name', ({ stores }) => {
    expect(() => checkStores(stores)).not.toThrow();
  });

  it.each([
    {
      name: 'no object',
      stores: { user: null },
      message: 'stores.user lacks load(), save(), delete()',
    },
    {
      name: 'a session store without exists and version',
      stores: { session: { ...SqliteStores.inMemory().user } },
      message: 'stores.session lacks exists(), version()',
    },
    {
      name: 'a memory store without generations',
      stores: {
        memory: { own: { ...SqliteStores.inMemory().memory.default, generation: undefined } },
      },
      message: 'stores.memory.own lacks generation()',
    },
  ])('may not be $name', ({ stores, message }) => {
    expect(() => checkStores(stores as unknown as StateStores)).toThrow(
      expect.objectContaining({ code: 'SpecError', message }) as Error,
    );
  });
});
