// The contract of session, user and app stores, as cases for any test runner.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { limits, LonghaulError } from '../protocol';
import type { JsonObject } from '../base';
import type { SessionStore, StateStore } from '../stores';

const deep = 150;

/** States that a store must return unchanged. */
export const faithfulStates: Readonly<Record<string, JsonObject>> = {
  'an empty state': {},
  'every kind of value': {
    text: 'Oslo',
    empty: '',
    yes: true,
    no: false,
    nothing: null,
    list: [1, [2, []], {}],
    nested: { a: { b: { c: [null] } } },
  },
  'numbers to the last digit': {
    numbers: [0, -1, 0.1, 1e-7, 1e21, 5e-324, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER],
  },
  'text of all scripts': { text: 'Zoë – 東京 – שלום – 👩‍👩‍👧 – \u{10ffff}', 'ключ 🔑': 'é\u0301' },
  'control characters and quotes': { text: '\u0000\b\t\n\r\u001f\u007f\u2028"\'\\/%?$1' },
  'keys that databases and languages know': {
    '': 0,
    ' ': 1,
    'a.b': 2,
    'a"b': 3,
    $where: 4,
    __reserved: 5,
    toString: 6,
    hasOwnProperty: 7,
    length: 8,
  },
  'a deep state': nested(deep),
  'a state of 64 KiB': { text: 'x'.repeat(limits.session - '{"text":""}'.length) },
};

/** States that a store must refuse, because JSON would change them. Each use makes new ones. */
export const refusedStates: Readonly<Record<string, () => unknown>> = {
  NaN: () => ({ number: Number.NaN }),
  Infinity: () => ({ list: [Number.POSITIVE_INFINITY] }),
  'a Date': () => ({ at: new Date(0) }),
  'a Map': () => ({ map: new Map() }),
  'a BigInt': () => ({ big: 1n }),
  'a function': () => ({ call: () => undefined }),
  undefined: () => ({ nothing: undefined }),
  'what contains itself': () => {
    const state: Record<string, unknown> = {};
    state['self'] = { state };
    return state;
  },
  'a list in place of a state': () => [1],
  'a text in place of a state': () => 'state',
  'null in place of a state': () => null,
  'the key __proto__': () => JSON.parse('{"a":{"__proto__":{"admin":true}}}') as unknown,
  'the key constructor': () => ({ constructor: 1 }),
  'the key prototype': () => ({ a: [{ prototype: 1 }] }),
};

type StateKey = { readonly appName: string; readonly userId: string; readonly sessionId: string };

type Store = StateStore<StateKey> & Partial<Pick<SessionStore, 'exists' | 'version'>>;

export type StateStoreContractOptions = {
  /** The kind of the store. An app store has one part in its key, a user store two, a session store three. */
  readonly kind: 'app' | 'user' | 'session';
  /** Opens a handle on the store. A case may open several, which must share the same data. Your test closes them. */
  readonly open: () => Store | Promise<Store>;
};

export type ContractCase = { readonly name: string; readonly run: () => Promise<void> };

type Case = (store: Store, open: StateStoreContractOptions['open']) => Promise<void>;

type SessionCase = (store: SessionStore, open: () => Promise<SessionStore>) => Promise<void>;

const parts = {
  app: ['appName'],
  user: ['appName', 'userId'],
  session: ['appName', 'userId', 'sessionId'],
} as const;

/**
 * The cases that your own store must pass. They leave data behind: run them on a test database.
 *
 * @example
 * for (const { name, run } of stateStoreContract({ kind: 'session', open: () => new RedisSessionStore(url) })) it(name, run);
 */
export function stateStoreContract(options: StateStoreContractOptions): readonly ContractCase[] {
  const { kind, open } = options;
  const cases: Readonly<Record<string, Case>> = {
    ...valueCases,
    ...keyCases(kind),
    ...handleCases,
    ...refusalCases,
    ...(kind === 'session' ? ofSessions(sessionCases) : {}),
  };
  return Object.entries(cases).map(([name, run]) => ({
    name: `${kind} store: ${name}`,
    run: async () => await run(await open(), open),
  }));
}

/** A key that no other case uses. */
function newKey(): StateKey {
  return { appName: randomUUID(), userId: randomUUID(), sessionId: randomUUID() };
}

const valueCases: Readonly<Record<string, Case>> = {
  'has nothing for a key that was never saved': async (store) => {
    assert.equal(await store.load(newKey()), undefined);
  },

  'replaces the whole state': async (store) => {
    const key = newKey();
    await store.save(key, { city: 'Oslo', days: 3 });
    await store.save(key, { city: 'Rome' });
    assert.deepEqual(await store.load(key), { city: 'Rome' });
  },

  'may be saved twice with the same state': async (store) => {
    const key = newKey();
    await store.save(key, { city: 'Oslo' });
    await store.save(key, { city: 'Oslo' });
    assert.deepEqual(await store.load(key), { city: 'Oslo' });
  },

  'shares no object with its callers': async (store) => {
    const key = newKey();
    const state = { cities: ['Oslo'] };
    await store.save(key, state);
    state.cities.push('changed after saving');
    const loaded = await store.load(key);
    (loaded?.['cities'] as string[]).push('changed after loading');
    assert.deepEqual(await store.load(key), { cities: ['Oslo'] });
  },

  'deletes a state': async (store) => {
    const key = newKey();
    await store.save(key, { city: 'Oslo' });
    await store.delete(key);
    assert.equal(await store.load(key), undefined);
    await store.save(key, { city: 'Rome' });
    assert.deepEqual(await store.load(key), { city: 'Rome' });
  },

  'deletes what is not there': async (store) => {
    await store.delete(newKey());
  },

  ...Object.fromEntries(
    Object.entries(faithfulStates).map(([name, state]): [string, Case] => [
      `gives back ${name}`,
      async (store) => {
        const key = newKey();
        await store.save(key, state);
        assert.deepEqual(plain(await store.load(key)), plain(state));
      },
    ]),
  ),
};

/** A copy through JSON, because values of two realms of a test runner are not strictly equal. */
function plain(state: JsonObject | undefined): unknown {
  return state && JSON.parse(JSON.stringify(state));
}

/** The store as a session store. Only session stores have versions. */
function ofSessions(cases: Readonly<Record<string, SessionCase>>): Readonly<Record<string, Case>> {
  const adapted = Object.entries(cases).map(([name, run]): [string, Case] => [
    name,
    (store, open) =>
      run(store as Store & SessionStore, async () => (await open()) as Store & SessionStore),
  ]);
  return Object.fromEntries(adapted);
}

const sessionCases: Readonly<Record<string, SessionCase>> = {
  'says whether a key has a state': async (store) => {
    const key = newKey();
    assert.equal(await store.exists(key), false);
    await store.save(key, {});
    assert.equal(await store.exists(key), true);
    await store.delete(key);
    assert.equal(await store.exists(key), false);
  },

  'makes another version with each save and delete': async (store) => {
    const key = newKey();
    const seen = [await store.version(key)];
    assert.deepEqual(seen, ['']);
    const writes = [() => store.save(key, {}), () => store.save(key, {}), () => store.delete(key)];
    for (const write of [...writes, ...writes]) {
      await write();
      await store.save(newKey(), {});
      seen.push(await store.version(key));
    }
    assert.equal(new Set(seen).size, 7);
    const named = { after: seen.at(-1) ?? '', version: 'named' };
    assert.equal(await store.save(key, { city: 'Oslo' }, named), true);
    assert.equal(await store.version(key), 'named');
  },

  'saves over the version it is told alone, and again as often as it is told': async (store) => {
    const key = newKey();
    const first = { after: '', version: 'first' };
    assert.equal(await store.save(key, { city: 'Oslo' }, first), true);
    assert.equal(await store.save(key, { city: 'Oslo' }, first), true);
    assert.equal(await store.save(key, { city: 'Rome' }, { after: 'first', version: 'b' }), true);
    assert.equal(await store.save(key, { city: 'Oslo' }, first), false);
    assert.deepEqual(await store.load(key), { city: 'Rome' });
    await store.save(key, { city: 'Bern' });
    assert.equal(await store.save(key, { city: 'Rome' }, { after: 'first', version: 'b' }), false);
    assert.deepEqual(await store.load(key), { city: 'Bern' });
  },

  'brings nothing back when a save comes after a delete': async (store) => {
    const [key, other] = [newKey(), newKey()];
    await store.save(key, { city: 'Oslo' }, { after: '', version: 'first' });
    await store.delete(key);
    await store.delete(other);
    assert.equal(await store.save(key, { city: 'Oslo' }, { after: '', version: 'first' }), false);
    assert.equal(await store.save(key, { city: 'Oslo' }, { after: 'first', version: 'b' }), false);
    assert.equal(await store.save(other, { city: 'Oslo' }, { after: '', version: 'c' }), false);
    assert.equal(await store.load(key), undefined);
    assert.equal(await store.load(other), undefined);
  },

  'takes one of many saves over the same version': async (store, open) => {
    const key = newKey();
    const stores = [store, await open()];
    const saved = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        stores[index % 2]?.save(key, { index }, { after: '', version: `v-${index}` }),
      ),
    );
    assert.equal(saved.filter((isSaved) => isSaved === true).length, 1);
    assert.deepEqual(await store.load(key), { index: saved.indexOf(true) });
  },
};

function keyCases(kind: StateStoreContractOptions['kind']): Readonly<Record<string, Case>> {
  const own = parts[kind];
  const last = own[own.length - 1] ?? 'appName';
  return {
    'keeps keys apart that look alike': async (store) => {
      const base = newKey();
      const names = ['Ada', 'ada', ' Ada', 'Ada ', 'Ad%', 'A_a', 'Ad\u00e9', 'Ade\u0301', "'", '"'];
      const keys = names.map((name) => ({ ...base, [last]: `${base[last]}${name}` }));
      for (const [index, key] of keys.entries()) await store.save(key, { index });
      for (const [index, key] of keys.entries()) assert.deepEqual(await store.load(key), { index });
      await store.delete(keys[0] ?? base);
      assert.deepEqual(
        await Promise.all(keys.map(async (key) => (await store.load(key)) !== undefined)),
        keys.map((_, index) => index !== 0),
      );
    },

    'tells keys apart by each part': async (store) => {
      const base = newKey();
      const others = own.map((part) => ({ ...base, [part]: randomUUID() }));
      await store.save(base, { is: 'base' });
      for (const key of others) assert.equal(await store.load(key), undefined);
      for (const key of others) await store.delete(key);
      assert.deepEqual(await store.load(base), { is: 'base' });
    },

    'keeps keys apart whose parts joined are the same': async (store) => {
      const id = randomUUID();
      const one = { appName: `${id}/a`, userId: 'b', sessionId: 'c' };
      const other = { appName: id, userId: 'a/b', sessionId: 'c' };
      await store.save(one, { is: 'one' });
      assert.equal(await store.load(other), undefined);
    },
  };
}

const handleCases: Readonly<Record<string, Case>> = {
  'shows one handle what another saved and deleted': async (store, open) => {
    const key = newKey();
    const other = await open();
    await store.save(key, { city: 'Oslo' });
    assert.deepEqual(await other.load(key), { city: 'Oslo' });
    await other.save(key, { city: 'Rome' });
    assert.deepEqual(await store.load(key), { city: 'Rome' });
    await store.delete(key);
    assert.equal(await other.load(key), undefined);
  },

  'keeps one whole state of many saved at once under a key': async (store, open) => {
    const key = newKey();
    const stores = [store, await open()];
    const states = Array.from({ length: 20 }, (_, index) => ({ a: index, b: 'x'.repeat(index) }));
    await Promise.all(
      states.map(async (state, index) => await stores[index % 2]?.save(key, state)),
    );
    const loaded = await store.load(key);
    assert.ok(states.some(({ a, b }) => loaded?.['a'] === a && loaded['b'] === b));
  },

  'keeps all of many states saved at once under many keys': async (store, open) => {
    const stores = [store, await open()];
    const keys = Array.from({ length: 20 }, newKey);
    await Promise.all(
      keys.map(async (key, index) => await stores[index % 2]?.save(key, { index })),
    );
    const loaded = await Promise.all(keys.map((key) => store.load(key)));
    assert.deepEqual(
      loaded.map((state) => state?.['index']),
      keys.map((_, index) => index),
    );
  },
};

const refusalCases: Readonly<Record<string, Case>> = Object.fromEntries(
  Object.entries(refusedStates).map(([name, makeState]): [string, Case] => [
    `refuses ${name} and keeps what it had`,
    async (store) => {
      const key = newKey();
      await store.save(key, { city: 'Oslo' });
      await assert.rejects(store.save(key, makeState() as JsonObject), (error) => {
        assert.ok(LonghaulError.is(error), `not a StoreError: ${String(error)}`);
        assert.deepEqual([error.code, error.retryable], ['StoreError', false]);
        return true;
      });
      assert.deepEqual(await store.load(key), { city: 'Oslo' });
    },
  ]),
);

function nested(levels: number): JsonObject {
  let state: JsonObject = { end: true };
  for (let level = 1; level < levels; level += 1) state = { in: state };
  return state;
}
