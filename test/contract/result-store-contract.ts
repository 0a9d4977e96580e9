// What every result store does. Each case uses scopes of its own, so that all cases may share one store.

import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ResultKey, ResultScope, ResultStore } from '../../src/stores/results/result-store';

const MiB = 1024 * 1024;

type Case = (store: ResultStore, other: ResultStore) => Promise<void>;

/** `store` and `other` are two handles of one store, as two processes have them. */
export function resultStoreContract(
  open: () => { store: ResultStore; other: ResultStore },
): readonly { readonly name: string; run(): Promise<void> }[] {
  return Object.entries(cases).map(([name, run]) => ({
    name,
    run: async () => {
      const { store, other } = open();
      await run(store, other);
    },
  }));
}

/** Names that a file system, a URL or SQL could read as something else. */
export const strangeScopes: readonly string[] = [
  'a',
  'A',
  'a/b',
  'a//b',
  '/a',
  'a/',
  '..',
  '../../etc/passwd',
  './a',
  '.',
  'a%2Fb',
  "a'; drop table longhaul_results; --",
  'a\\b',
  'a b\n\tc',
  'ünï 漢字 🚀',
  'e\u0301',
  '\u00e9',
  'con',
  '?x=1#y',
  'n'.repeat(1_000),
  `${'n'.repeat(999)}m`,
  '漢'.repeat(333),
];

export function keyOf(scope: string, bytes: Uint8Array): ResultKey {
  return { scope, digest: createHash('sha256').update(bytes).digest('hex') };
}

function newScope(name = ''): string {
  return `default/run-${randomUUID()}${name}`;
}

async function allScopes(store: ResultStore, limit: number): Promise<readonly ResultScope[]> {
  const found: ResultScope[] = [];
  for (;;) {
    const after = found.at(-1)?.scope;
    const page = await store.scopes({ limit, ...(after !== undefined && { after }) });
    assert.ok(page.length <= limit);
    if (page.length === 0) return found;
    found.push(...page);
  }
}

async function assertKept(store: ResultStore, key: ResultKey, bytes: Uint8Array): Promise<void> {
  const got = await store.get(key);
  assert.ok(got !== undefined && Buffer.compare(got, bytes) === 0, `other bytes in ${key.scope}`);
}

/** For stores whose times are exact: a write and a deletion for age at the same time. */
export async function writeWhileDeleted(store: ResultStore, other: ResultStore): Promise<void> {
  const [scope, bytes] = [newScope(), randomBytes(1_000)];
  const key = keyOf(scope, bytes);
  for (let round = 0; round < 40; round += 1) {
    await store.put(key, bytes);
    await store.put(keyOf(scope, Buffer.from(`old ${round}`)), bytes);
    while (Date.now() <= (await lastWrite(store, scope)) + 10);
    const unlessWrittenSince = new Date();
    const deletes = [0, 1, 2].map(() => other.deleteScope(scope, { unlessWrittenSince }));
    await Promise.all([store.put(key, bytes), ...deletes]);
    await assertKept(other, key, bytes);
    assert.ok((await lastWrite(store, scope)) >= unlessWrittenSince.getTime());
  }
}

async function lastWrite(store: ResultStore, scope: string): Promise<number> {
  const found = (await allScopes(store, 1_000)).find((listed) => listed.scope === scope);
  return found?.lastWrittenAt.getTime() ?? 0;
}

const cases: Readonly<Record<string, Case>> = {
  'gives back the exact bytes to every handle': async (store, other) => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    const key = keyOf(newScope(), bytes);
    await store.put(key, bytes);
    await assertKept(store, key, bytes);
    await assertKept(other, key, bytes);
  },

  'keeps a view of a larger buffer as what the view shows': async (store) => {
    const bytes = new Uint8Array(randomBytes(64).buffer.slice(0)).subarray(3, 17);
    const key = keyOf(newScope(), bytes);
    await store.put(key, bytes);
    await assertKept(store, key, bytes);
  },

  'keeps 0 bytes': async (store) => {
    const key = keyOf(newScope(), new Uint8Array());
    await store.put(key, new Uint8Array());
    await assertKept(store, key, new Uint8Array());
  },

  'keeps 64 MiB': async (store, other) => {
    const bytes = randomBytes(64 * MiB);
    const key = keyOf(newScope(), bytes);
    await store.put(key, bytes);
    await assertKept(other, key, bytes);
    assert.equal(await store.deleteScope(key.scope), 1);
  },

  'has nothing that nobody put': async (store) => {
    const bytes = randomBytes(8);
    const key = keyOf(newScope(), bytes);
    assert.equal(await store.get(key), undefined);
    await store.put(keyOf(key.scope, randomBytes(8)), bytes);
    assert.equal(await store.get(key), undefined);
    assert.equal(await store.get({ ...key, scope: newScope() }), undefined);
  },

  'keeps a content once, however often it is put': async (store, other) => {
    const bytes = randomBytes(100);
    const key = keyOf(newScope(), bytes);
    for (const handle of [store, other, store]) await handle.put(key, bytes);
    assert.equal(await store.deleteScope(key.scope), 1);
  },

  'replaces what is there, as encryption makes other bytes each time': async (store, other) => {
    const key = keyOf(newScope(), randomBytes(8));
    await store.put(key, Buffer.from('first, and longer'));
    await other.put(key, Buffer.from('second'));
    await assertKept(store, key, Buffer.from('second'));
  },

  'takes many puts at once, of one content and of many': async (store, other) => {
    const scope = newScope();
    const contents = Array.from({ length: 8 }, () => randomBytes(10_000));
    const puts = contents.flatMap((bytes) =>
      [store, other, store].map((handle) => handle.put(keyOf(scope, bytes), bytes)),
    );
    await Promise.all(puts);
    for (const bytes of contents) await assertKept(other, keyOf(scope, bytes), bytes);
    assert.equal(await store.deleteScope(scope), contents.length);
  },

  'keeps scopes apart, whatever their names': async (store, other) => {
    const base = newScope();
    const bytes = new Map(
      strangeScopes.map((name) => [`${name}${base.slice(-4)}`.slice(-1_000), Buffer.from(name)]),
    );
    const digest = keyOf('', Buffer.from(base)).digest;
    for (const [scope, content] of bytes) await store.put({ scope, digest }, content);
    for (const [scope, content] of bytes) await assertKept(other, { scope, digest }, content);
    const listed = new Set((await allScopes(other, 7)).map(({ scope }) => scope));
    assert.deepEqual(
      [...bytes.keys()].filter((scope) => !listed.has(scope)),
      [],
    );
    for (const scope of bytes.keys()) assert.equal(await store.deleteScope(scope), 1, scope);
  },

  'lists each scope once, page by page': async (store) => {
    const scopes = Array.from({ length: 7 }, (_, index) => newScope(`-${index}`));
    for (const scope of scopes)
      for (const text of ['a', 'b'])
        await store.put(keyOf(scope, Buffer.from(text)), Buffer.from(text));
    for (const limit of [1, 3, 1_000]) {
      const listed = (await allScopes(store, limit)).map(({ scope }) => scope);
      assert.equal(new Set(listed).size, listed.length);
      assert.deepEqual(listed.filter((scope) => scopes.includes(scope)).sort(), [...scopes].sort());
    }
  },

  'knows when a scope was last written to, also by a put that it had': async (store) => {
    const [scope, bytes] = [newScope(), randomBytes(8)];
    const written = async (): Promise<number> => {
      const found = (await allScopes(store, 1_000)).find((listed) => listed.scope === scope);
      return found?.lastWrittenAt.getTime() ?? 0;
    };
    const before = Date.now();
    await store.put(keyOf(scope, bytes), bytes);
    const first = await written();
    // Some stores know only whole seconds, and their clock may differ a little.
    assert.ok(Math.abs(first - before) < 5 * 60_000);
    while (Math.floor(Date.now() / 1_000) === Math.floor(first / 1_000))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await store.put(keyOf(scope, bytes), bytes);
    assert.ok((await written()) > first);
  },

  'deletes a scope with all that it keeps, and no other': async (store, other) => {
    const [scope, neighbour] = [newScope(), newScope()];
    const contents = [randomBytes(8), randomBytes(9), new Uint8Array()];
    for (const bytes of contents) await store.put(keyOf(scope, bytes), bytes);
    for (const bytes of contents) await store.put(keyOf(neighbour, bytes), bytes);
    assert.equal(await other.deleteScope(scope), contents.length);
    assert.equal(await other.deleteScope(scope), 0);
    for (const bytes of contents) {
      assert.equal(await store.get(keyOf(scope, bytes)), undefined);
      await assertKept(store, keyOf(neighbour, bytes), bytes);
    }
    const listed = (await allScopes(store, 1_000)).map((found) => found.scope);
    assert.ok(!listed.includes(scope) && listed.includes(neighbour));
  },

  'keeps a scope that was written to since a given time': async (store) => {
    const [scope, bytes] = [newScope(), randomBytes(8)];
    await store.put(keyOf(scope, bytes), bytes);
    const anHour = 3_600_000;
    const since = (ms: number) => ({ unlessWrittenSince: new Date(Date.now() + ms) });
    assert.equal(await store.deleteScope(scope, since(-anHour)), 0);
    await assertKept(store, keyOf(scope, bytes), bytes);
    assert.equal(await store.deleteScope(scope, since(anHour)), 1);
    assert.equal(await store.deleteScope(newScope(), since(anHour)), 0);
  },

  'deletes what was written before a given time, and leaves what it is told to': async (store) => {
    const [scope, contents] = [newScope(), [randomBytes(8), randomBytes(9), randomBytes(10)]];
    const [waiting = Buffer.of(), ...others] = contents;
    const keys = others.map((bytes) => keyOf(scope, bytes));
    for (const bytes of contents) await store.put(keyOf(scope, bytes), bytes);
    const [past, future] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
    assert.equal(await store.deleteScope(scope, { writtenBefore: past }), 0);
    for (const bytes of contents) await assertKept(store, keyOf(scope, bytes), bytes);
    const except = [keyOf(scope, waiting).digest];
    assert.equal(await store.deleteScope(scope, { writtenBefore: future, except }), 2);
    for (const key of keys) assert.equal(await store.get(key), undefined);
    await assertKept(store, keyOf(scope, waiting), waiting);
    assert.equal(await store.deleteScope(scope, { writtenBefore: past, except: [] }), 0);
    assert.equal(await store.deleteScope(scope, { writtenBefore: future, except: [] }), 1);
    assert.ok(!(await allScopes(store, 1_000)).some((found) => found.scope === scope));
  },

  'takes a scope again after it was deleted': async (store, other) => {
    const [scope, bytes] = [newScope(), randomBytes(8)];
    await store.put(keyOf(scope, bytes), bytes);
    await other.deleteScope(scope);
    await store.put(keyOf(scope, bytes), bytes);
    await assertKept(other, keyOf(scope, bytes), bytes);
    const listed = (await allScopes(store, 1_000)).map((found) => found.scope);
    assert.ok(listed.includes(scope));
  },

  'refuses a digest that is none': async (store) => {
    for (const digest of ['', 'a', '../../../x', `${'a'.repeat(63)}/`, 'A'.repeat(64)]) {
      const refused = { code: 'StoreError', retryable: false };
      await assert.rejects(store.put({ scope: 's', digest }, new Uint8Array(1)), refused);
      await assert.rejects(store.get({ scope: 's', digest }), refused);
    }
  },
};
