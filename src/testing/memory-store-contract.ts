// The contract of memory stores, as cases for any test runner.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { LonghaulError } from '../protocol';
import type { MemoryStore, StoredMemoryTurn } from '../stores';
import {
  assertTurns,
  faithfulTurns,
  newKey,
  plain,
  refusedTurns,
  saveAll,
  turnOf,
} from './memory-store-turns';
import type { ContractCase } from './state-store-contract';

export type MemoryStoreContractOptions = {
  /** Opens a handle on the store. A case may open several, which must share the same data. Your test closes them. */
  readonly open: () => MemoryStore | Promise<MemoryStore>;
};

type Case = (store: MemoryStore, open: MemoryStoreContractOptions['open']) => Promise<void>;
type Cases = Readonly<Record<string, Case>>;

/**
 * The cases that your own memory store must pass. They leave data behind: run them on a test database.
 *
 * @example
 * for (const { name, run } of memoryStoreContract({ open: () => new RedisMemoryStore(url) })) it(name, run);
 */
export function memoryStoreContract({ open }: MemoryStoreContractOptions): readonly ContractCase[] {
  const cases = {
    ...turnCases,
    ...orderCases,
    ...keyCases,
    ...handleCases,
    ...generationCases,
    ...refusalCases,
  };
  return Object.entries(cases).map(([name, run]) => ({
    name: `memory store: ${name}`,
    run: async () => await run(await open(), open),
  }));
}

const turnCases: Cases = {
  'has nothing for a key that was never saved': async (store) => {
    const key = newKey();
    assertTurns(await store.loadTurns(key), []);
    assertTurns(await store.loadTurns(key, { last: 5 }), []);
    assert.equal(await store.count(key), 0);
  },

  ...Object.fromEntries(
    Object.entries(faithfulTurns).map(([name, content]): [string, Case] => [
      `gives back ${name}`,
      async (store) => {
        const key = newKey();
        const turn = turnOf(key, 0, content);
        await store.saveTurn(turn);
        const loaded = await store.loadTurns(key);
        assertTurns(loaded, [turn]);
        assert.equal('eventData' in (loaded[0] ?? {}), 'eventData' in turn);
      },
    ]),
  ),

  'replaces the turn of an id': async (store) => {
    const key = newKey();
    const [first, second] = [turnOf(key, 0, { eventData: { tokens: 1 } }), turnOf(key, 1)];
    await saveAll(store, [first, second]);
    const { eventData: _, ...rest } = first;
    const changed = { ...rest, assistant: 'better', createdAt: turnOf(key, 2).createdAt };
    await saveAll(store, [changed, changed]);
    assertTurns(await store.loadTurns(key), [second, changed]);
    assert.equal(await store.count(key), 2);
  },

  'shares no object with its callers': async (store) => {
    const key = newKey();
    const eventData = { calls: ['first'] };
    const turn = turnOf(key, 0, { eventData });
    const saved = plain([turn]) as StoredMemoryTurn[];
    await store.saveTurn(turn);
    eventData.calls.push('changed after saving');
    const [loaded] = await store.loadTurns(key);
    (loaded?.eventData as typeof eventData).calls.push('changed after loading');
    assertTurns(await store.loadTurns(key), saved);
  },
};

const orderCases: Cases = {
  'loads the oldest first, in whatever order they were saved': async (store) => {
    const key = newKey();
    const turns = [0, 1, 2, 3, 4].map((second) => turnOf(key, second, { rank: 9 - second }));
    await saveAll(
      store,
      [3, 0, 4, 2, 1].flatMap((index) => turns[index] ?? []),
    );
    assertTurns(await store.loadTurns(key), turns);
  },

  'orders turns of the same time by their ids': async (store) => {
    const key = newKey();
    const turns = [1, 2, 3, 4].map((rank) => turnOf(key, 0, { rank, user: `${rank}` }));
    await saveAll(
      store,
      [2, 0, 3, 1].flatMap((index) => turns[index] ?? []),
    );
    assertTurns(await store.loadTurns(key), turns);
    assertTurns(await store.loadTurns(key, { last: 2 }), turns.slice(2));
  },

  'orders by the instant, in whatever zone it is written': async (store) => {
    const key = newKey();
    const times = ['2026-03-01T13:00:00+02:00', '2026-03-01T12:00Z', '2026-03-01T05:00:00.5-07:30'];
    const turns = times.map((createdAt, index) => turnOf(key, 9 - index, { createdAt }));
    await saveAll(store, turns.toReversed());
    assertTurns(await store.loadTurns(key), turns);
  },

  'loads the last ones, the oldest of them first': async (store) => {
    const key = newKey();
    const turns = Array.from({ length: 7 }, (_, second) => turnOf(key, second));
    await saveAll(store, turns);
    for (const last of [0, 1, 3, 7, 8, Number.MAX_SAFE_INTEGER])
      assertTurns(await store.loadTurns(key, { last }), turns.slice(Math.max(0, 7 - last)));
    assertTurns(await store.loadTurns(key, {}), turns);
    assert.equal(await store.count(key), 7);
  },
};

const keyCases: Cases = {
  'tells keys apart by each part, also for the same turn id': async (store) => {
    const base = newKey();
    const parts = ['appName', 'userId', 'sessionId'] as const;
    const keys = [base, ...parts.map((part) => ({ ...base, [part]: randomUUID() }))];
    const first = turnOf(base, 0);
    const turns = keys.map((key, index) => ({ ...first, ...key, user: `of key ${index}` }));
    await saveAll(store, turns);
    const loaded = await Promise.all(keys.map((key) => store.loadTurns(key)));
    assertTurns(loaded.flat(), turns);
    await store.clear(base);
    const counts = await Promise.all(keys.map((key) => store.count(key)));
    assert.deepEqual(counts, [0, 1, 1, 1]);
  },

  'keeps keys apart that look alike': async (store) => {
    const base = newKey();
    const names = ['Ada', 'ada', ' Ada', 'Ada ', 'Ad%', 'A_a', 'Ad\u00e9', 'Ade\u0301', "'", '"'];
    const keys = names.map((name) => ({ ...base, userId: `${base.userId}${name}` }));
    await saveAll(
      store,
      keys.map((key, index) => turnOf(key, index)),
    );
    await store.clear(keys[0] ?? base);
    const counts = await Promise.all(keys.map((key) => store.count(key)));
    assert.deepEqual(
      counts,
      keys.map((_, index) => (index === 0 ? 0 : 1)),
    );
  },

  'takes keys as long as they may be': async (store) => {
    const long = () => Array.from({ length: 16 }, () => randomUUID().replaceAll('-', '')).join('');
    const key = { appName: long(), userId: long(), sessionId: long() };
    const turn = turnOf(key, 0, { invocationId: long() });
    await store.saveTurn(turn);
    assertTurns(await store.loadTurns(key, { last: 1 }), [turn]);
  },

  'clears what is not there, and takes turns again after it': async (store) => {
    const key = newKey();
    await store.clear(key);
    const turn = turnOf(key, 0);
    await store.saveTurn(turn);
    await store.clear(key);
    assertTurns(await store.loadTurns(key), []);
    await store.saveTurn(turn);
    assertTurns(await store.loadTurns(key), [turn]);
  },
};

const handleCases: Cases = {
  'shows one handle what another saved and cleared': async (store, open) => {
    const key = newKey();
    const other = await open();
    const turns = [turnOf(key, 0), turnOf(key, 1)];
    await store.saveTurn(turns[0] ?? turnOf(key, 0));
    assert.equal(await other.count(key), 1);
    await other.saveTurn(turns[1] ?? turnOf(key, 1));
    assertTurns(await store.loadTurns(key), turns);
    await store.clear(key);
    assertTurns(await other.loadTurns(key), []);
  },

  'keeps one whole turn of many saved at once under an id': async (store, open) => {
    const key = newKey();
    const stores = [store, await open()];
    const first = turnOf(key, 0);
    const turns = Array.from({ length: 20 }, (_, index) => ({
      ...first,
      user: `${index}`,
      assistant: `${index}`,
    }));
    await Promise.all(turns.map(async (turn, index) => await stores[index % 2]?.saveTurn(turn)));
    const [loaded, ...others] = await store.loadTurns(key);
    assert.deepEqual(others, []);
    assert.ok(turns.some(({ user }) => user === loaded?.user && user === loaded.assistant));
  },

  'keeps all of many turns saved at once': async (store, open) => {
    const key = newKey();
    const stores = [store, await open()];
    const turns = Array.from({ length: 20 }, (_, second) => turnOf(key, second));
    await Promise.all(turns.map(async (turn, index) => await stores[index % 2]?.saveTurn(turn)));
    assertTurns(await store.loadTurns(key), turns);
  },
};

const generationCases: Cases = {
  'begins another generation with each clear, and with nothing else': async (store) => {
    const key = newKey();
    const seen = [await store.generation(key)];
    await store.saveTurn(turnOf(key, 0));
    await store.clear(newKey());
    assert.deepEqual([await store.generation(key)], ['']);
    for (let clear = 1; clear <= 3; clear += 1) {
      await store.clear(key);
      seen.push(await store.generation(key));
    }
    assert.equal(new Set(seen).size, 4);
    assert.equal(await store.clear(key, { generation: seen.at(-1) ?? '', next: 'named' }), true);
    assert.equal(await store.generation(key), 'named');
  },

  'takes a turn in the generation it is in': async (store) => {
    const key = newKey();
    const turns = [turnOf(key, 0), turnOf(key, 1)];
    for (const turn of turns) assert.equal(await store.saveTurn(turn, { generation: '' }), true);
    assertTurns(await store.loadTurns(key), turns);
    await store.clear(key);
    const generation = await store.generation(key);
    assert.equal(await store.saveTurn(turnOf(key, 2), { generation }), true);
    assert.equal(await store.count(key), 1);
  },

  'takes no turn of a generation that is over: a save that comes after a clear': async (store) => {
    const key = newKey();
    const late = turnOf(key, 0);
    await store.saveTurn(late, { generation: '' });
    await store.clear(key, { generation: '', next: 'second' });
    assert.equal(await store.saveTurn(late, { generation: '' }), false);
    assertTurns(await store.loadTurns(key), []);
    const turn = turnOf(key, 1);
    await store.saveTurn(turn, { generation: 'second' });
    assert.equal(await store.saveTurn(late, { generation: '' }), false);
    await store.clear(key);
    assert.equal(await store.saveTurn(turn, { generation: 'second' }), false);
    assertTurns(await store.loadTurns(key), []);
  },

  'forgets nothing newer when a clear comes late, or twice': async (store) => {
    const key = newKey();
    await store.saveTurn(turnOf(key, 0), { generation: '' });
    const clear = { generation: '', next: 'second' };
    assert.equal(await store.clear(key, clear), true);
    const turn = turnOf(key, 1);
    await store.saveTurn(turn, { generation: 'second' });
    assert.equal(await store.clear(key, clear), true);
    assert.equal(await store.clear(key, { generation: '', next: 'other' }), false);
    assertTurns(await store.loadTurns(key), [turn]);
    assert.equal(await store.generation(key), 'second');
  },

  'keeps no turn of the generation before, of many saved while it is cleared': async (
    store,
    open,
  ) => {
    const key = newKey();
    const stores = [store, await open()];
    const saves = Array.from({ length: 20 }, async (_, second) => {
      await stores[second % 2]?.saveTurn(turnOf(key, second), { generation: '' });
    });
    const cleared = store.clear(key, { generation: '', next: 'second' });
    await Promise.all([...saves, cleared]);
    assertTurns(await store.loadTurns(key), []);
    assert.equal(await store.generation(key), 'second');
  },
};

const refusalCases: Cases = {
  ...Object.fromEntries(
    Object.entries(refusedTurns).map(([name, makeFields]): [string, Case] => [
      `refuses ${name} and keeps what it had`,
      async (store) => {
        const turn = turnOf(newKey(), 0);
        await store.saveTurn(turn);
        const refused = { ...turn, ...makeFields() } as StoredMemoryTurn;
        await assertRefused(store.saveTurn(refused));
        assertTurns(await store.loadTurns(turn), [turn]);
      },
    ]),
  ),

  ...Object.fromEntries(
    [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY].map((last): [string, Case] => [
      `refuses to load the last ${last}`,
      async (store) => await assertRefused(store.loadTurns(newKey(), { last })),
    ]),
  ),
};

async function assertRefused(call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(LonghaulError.is(error), `not a StoreError: ${String(error)}`);
    assert.deepEqual([error.code, error.retryable], ['StoreError', false]);
    return true;
  });
}
