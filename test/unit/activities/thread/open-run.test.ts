// Pure: stores are maps in memory; no server.

import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../../src/base/json';
import { limits } from '../../../../src/protocol/limits';
import { storedKey } from '../../../../src/core/stored-key';
import type { RunKey } from '../../../../src/protocol/run';
import { LonghaulError } from '../../../../src/protocol/errors';
import { closeState, openState } from '../../../../src/activities/thread/open-run';
import { SqliteStores } from '../../../../src/stores/state/sqlite/sqlite-stores';
import type { StateStores } from '../../../../src/stores/state/state-store';

const key = { appName: 'travel', userId: 'ada', sessionId: 's1' };

describe('the stores of a run', () => {
  let stores: SqliteStores;

  beforeEach(() => {
    stores = SqliteStores.inMemory();
  });

  afterEach(() => stores.close());

  /** As a run that starts now would save. */
  async function saveNow(
    session: JsonObject,
    given: StateStores = stores,
    runKey: RunKey = key,
  ): Promise<void> {
    const sessionKey = { appName: 'default', userId: 'default', sessionId: 's1', ...runKey };
    const stored = storedKey(sessionKey);
    const save = { after: await stores.session.version(stored), version: randomUUID() };
    await closeState({ stores: given, key: runKey, session, save });
  }

  async function fill(): Promise<void> {
    await stores.app.save(key, { app: 1, user: 1, session: 1, caller: 1 });
    await stores.user.save(key, { user: 2, session: 2, caller: 2 });
    await stores.session.save(key, { session: 3, caller: 3 });
  }

  it.each([
    { sessionPrecedence: 'caller', session: { app: 1, user: 2, session: 3, caller: 4, own: 4 } },
    { sessionPrecedence: 'store', session: { app: 1, user: 2, session: 3, caller: 3, own: 4 } },
  ] as const)('are merged, later wins, and the $sessionPrecedence over all', async (expected) => {
    await fill();
    const session = { caller: 4, own: 4 };
    const { sessionPrecedence } = expected;
    expect((await openState({ stores, key, session, sessionPrecedence })).session).toEqual(
      expected.session,
    );
  });

  it('let the caller win when nothing is said', async () => {
    await fill();
    const { session } = await openState({ stores, key, session: { session: 4 } });
    expect(session).toMatchObject({ session: 4 });
  });

  it.each([
    { name: 'no store', given: () => ({}), session: {} },
    {
      name: 'only an app store',
      given: ({ app }: SqliteStores) => ({ app }),
      session: { app: 1, user: 1, session: 1, caller: 1 },
    },
    {
      name: 'only a session store',
      given: ({ session }: SqliteStores) => ({ session }),
      session: { session: 3, caller: 3 },
    },
  ])('may be $name', async ({ given, session }) => {
    await fill();
    const opened = await openState({ stores: given(stores), key, session: {} });
    expect(opened.session).toEqual(session);
  });

  it('have nothing for a new key', async () => {
    expect(await openState({ stores, key, session: { city: 'Oslo' } })).toEqual({
      session: { city: 'Oslo' },
      version: '',
    });
  });

  it('are read by the default names where a run has none, but no session', async () => {
    await stores.app.save({ appName: 'default' }, { app: 1 });
    await stores.user.save({ appName: 'default', userId: 'default' }, { user: 2 });
    expect(await openState({ stores, key: {}, session: {} })).toEqual({
      session: { app: 1, user: 2 },
    });
    await saveNow({ a: 1 }, stores, {});
    await saveNow({ a: 1 }, stores, { sessionId: 's1' });
    expect(
      await stores.session.load({ appName: 'default', userId: 'default', sessionId: 's1' }),
    ).toEqual({ a: 1 });
  });

  it('are those of the application where a key names none', async () => {
    await stores.app.save({ appName: 'shop' }, { app: 1 });
    await stores.user.save({ appName: 'shop', userId: 'ada' }, { user: 2 });
    const own = { stores, key: { userId: 'ada', sessionId: 's1' }, application: 'shop' };
    const { session, version: after = 'none' } = await openState({ ...own, session: {} });
    expect(session).toEqual({ app: 1, user: 2 });
    await closeState({ ...own, session: { a: 1 }, save: { after, version: 'run-1' } });
    const saved = await stores.session.load({ appName: 'shop', userId: 'ada', sessionId: 's1' });
    expect(saved).toEqual({ a: 1 });
  });

  it('go on with what 0.2.0 kept under `default`, until a run saves or somebody deletes', async () => {
    const earlier = { appName: 'default', userId: 'ada', sessionId: 's1' };
    await stores.app.save(earlier, { app: 1 });
    await stores.user.save(earlier, { user: 2 });
    await stores.session.save(earlier, { a: 1 });
    const own = { stores, key: { userId: 'ada', sessionId: 's1' }, application: 'shop' };
    const opened = await openState({ ...own, session: {} });
    expect(opened).toEqual({ session: { app: 1, user: 2, a: 1 }, version: '' });
    await closeState({ ...own, session: { a: 2 }, save: { after: '', version: 'run-1' } });
    expect(await openState({ ...own, session: {} })).toMatchObject({ session: { a: 2 } });
    await stores.session.delete({ ...earlier, appName: 'shop' });
    expect((await openState({ ...own, session: {} })).session).toEqual({ app: 1, user: 2 });
  });

  it('are apart for users of one id in two tenants', async () => {
    const opened = async (tenant?: string) => {
      const whose = { ...key, ...(tenant !== undefined && { tenant }) };
      return (await openState({ stores, key: whose, session: {} })).session;
    };
    await stores.user.save(storedKey({ appName: 'travel', userId: 'ada', tenant: 'acme' }), {
      plan: 'gold',
    });
    await saveNow({ trip: 'Oslo' }, stores, { ...key, tenant: 'acme' });
    expect(await opened('acme')).toEqual({ plan: 'gold', trip: 'Oslo' });
    expect(await opened('globex')).toEqual({});
    expect(await opened()).toEqual({});
  });

  it('neither give nor take keys with two underscores', async () => {
    await stores.session.save(key, { __ancestor_ids: ['a'], _one: 1 });
    const { session } = await openState({ stores, key, session: { __other: 1 } });
    expect(session).toEqual({ _one: 1 });
    await saveNow({ __ancestor_ids: ['a'], __x: 1, city: 'Oslo' });
    expect(await stores.session.load(key)).toEqual({ city: 'Oslo' });
  });

  it('keep the session alone: what a run changes of an app or a user stays', async () => {
    await fill();
    await saveNow({ app: 9, user: 9, session: 9 });
    expect([
      await stores.app.load(key),
      await stores.user.load(key),
      await stores.session.load(key),
    ]).toEqual([
      { app: 1, user: 1, session: 1, caller: 1 },
      { user: 2, session: 2, caller: 2 },
      { app: 9, user: 9, session: 9 },
    ]);
  });

  it('save the session once', async () => {
    const save = jest.fn(async () => true);
    const session = { ...stores.session, save };
    const how = { after: '', version: 'a' };
    await closeState({ stores: { session }, key, session: { city: 'Oslo', __x: 1 }, save: how });
    expect(save.mock.calls).toEqual([[key, { city: 'Oslo' }, how]]);
  });

  it('leave a session alone that was saved or deleted since the run started', async () => {
    const version = async (): Promise<string> =>
      (await openState({ stores, key, session: {} })).version ?? 'none';
    const close = async (after: string, run: string): Promise<void> =>
      await closeState({ stores, key, session: { run }, save: { after, version: run } });
    const refused = { code: 'StoreError', retryable: false };
    const [first, other] = [await version(), await version()];
    await close(first, 'a');
    await close(first, 'a');
    await expect(close(other, 'b')).rejects.toMatchObject(refused);
    const next = await version();
    await close(next, 'c');
    await expect(close(first, 'a')).rejects.toMatchObject(refused);
    expect(await stores.session.load(key)).toEqual({ run: 'c' });
    await stores.session.delete(key);
    for (const [after, run] of [[first, 'a'] as const, [next, 'c'] as const])
      await expect(close(after, run)).rejects.toMatchObject(refused);
    expect(await stores.session.exists(key)).toBe(false);
  });

  it('read a session and its version as they belong together', async () => {
    let saves = 0;
    const { session } = stores;
    const busy = {
      ...session,
      load: async (each: typeof key) => {
        const state = await session.load(each);
        saves += 1;
        if (saves < 3) await session.save(each, { saves });
        return state;
      },
    };
    const opened = await openState({ stores: { session: busy }, key, session: {} });
    expect(opened).toEqual({ session: { saves: 2 }, version: await session.version(key) });
  });

  it('take a session of 64 KiB and refuse a larger one, saving nothing', async () => {
    const text = 'x'.repeat(limits.session - '{"text":""}'.length);
    await saveNow({ text });
    expect((await openState({ stores, key, session: {} })).session).toEqual({ text });
    const problem = { code: 'SessionTooLarge', retryable: false };
    await expect(openState({ stores, key, session: { a: 1 } })).rejects.toMatchObject(problem);
    await expect(saveNow({ text: `${text}x` })).rejects.toMatchObject(problem);
    expect(await stores.session.load(key)).toEqual({ text });
  });

  it.each([
    {
      name: 'an empty part',
      change: { userId: '' },
      message: 'userId must be a text that is not empty',
    },
    {
      name: 'a number',
      change: { appName: 7 },
      message: 'appName must be a text that is not empty',
    },
    {
      name: 'a NUL',
      change: { sessionId: 'a\0' },
      message: 'sessionId must be well-formed Unicode without NUL',
    },
    {
      name: 'half a character',
      change: { userId: '\ud83d' },
      message: 'userId must be well-formed Unicode without NUL',
    },
    {
      name: 'a long part',
      change: { userId: 'é'.repeat(257) },
      message: 'userId must have at most 512 bytes',
    },
  ])('refuse a key with $name before any is asked', async ({ change, message }) => {
    const wrong = { ...key, ...change } as typeof key;
    const problem = { code: 'StoreError', message, retryable: false };
    await expect(openState({ stores: failing(), key: wrong, session: {} })).rejects.toMatchObject(
      problem,
    );
    const save = { after: '', version: 'a' };
    await expect(
      closeState({ stores: failing(), key: wrong, session: {}, save }),
    ).rejects.toMatchObject(problem);
  });

  it.each([
    {
      name: 'an error we do not know, which may pass',
      thrown: new Error('connection lost'),
      expected: { message: 'the user store failed: connection lost', retryable: true },
    },
    {
      name: 'a StoreError that may pass',
      thrown: new LonghaulError('StoreError', 'busy', { retryable: true }),
      expected: { message: 'the user store failed: busy', retryable: true },
    },
    {
      name: 'a StoreError that does not pass',
      thrown: new LonghaulError('StoreError', 'damaged'),
      expected: { message: 'the user store failed: damaged', retryable: false },
    },
    {
      name: 'what is no error',
      thrown: 'down' as unknown as Error,
      expected: { message: 'the user store failed: down', retryable: true },
    },
  ])('fail with a StoreError for $name', async ({ thrown, expected }) => {
    const user = { ...stores.user, load: () => Promise.reject(thrown) };
    await expect(
      openState({ stores: { ...all(stores), user }, key, session: {} }),
    ).rejects.toMatchObject({ code: 'StoreError', ...expected });
  });

  it('fail when the session cannot be saved', async () => {
    const save = { after: '', version: 'a' };
    await expect(closeState({ stores: failing(), key, session: {}, save })).rejects.toMatchObject({
      code: 'StoreError',
      message: 'the session store failed: down',
      retryable: true,
    });
  });

  it.each([
    { name: 'a date', state: { at: new Date(0) }, problem: "at 'at': a Date object is not JSON" },
    { name: 'a list', state: [1], problem: 'it must be an object' },
  ])('fail when one of your own returns $name', async ({ state, problem }) => {
    const user = { ...stores.user, load: async () => state as unknown as JsonObject };
    const error: unknown = await openState({ stores: { user }, key, session: {} }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'StoreError', retryable: false });
    expect(String(error)).toContain(problem);
  });

  it('take null from one of your own for nothing', async () => {
    const user = { ...stores.user, load: async () => null as unknown as undefined };
    expect(await openState({ stores: { user }, key, session: { a: 1 } })).toEqual({
      session: { a: 1 },
    });
  });

  it('keep the this of a store that is a class', async () => {
    class Names {
      readonly #states = new Map<string, JsonObject>([['ada', { name: 'Ada' }]]);
      async load({ userId }: { userId: string }): Promise<JsonObject | undefined> {
        return this.#states.get(userId);
      }
      async save(): Promise<void> {}
      async delete(): Promise<void> {}
    }
    expect(await openState({ stores: { user: new Names() }, key, session: {} })).toEqual({
      session: { name: 'Ada' },
    });
  });
});

function all({ app, user, session }: SqliteStores): StateStores {
  return { app, user, session };
}

/** Stores that are down. */
function failing(): Required<StateStores> {
  const fail = () => Promise.reject(new Error('down'));
  const store = { load: fail, save: fail, delete: fail, exists: fail, version: fail };
  return { app: store, user: store, session: store };
}
