// Pure: turns in a Map. A store that does everything passes the contract; one that does a thing wrong fails the case about it.

import { randomUUID } from 'node:crypto';
import { memoryStoreContract } from '../../../src/testing';
import { encodeTurn, decodeTurn, type MemoryKey, type MemoryStore } from '../../../src/stores';

type Faults = {
  readonly rowOf?: (key: MemoryKey & { readonly id: string }) => unknown;
  readonly encode?: typeof encodeTurn;
  readonly isOf?: (key: MemoryKey, other: MemoryKey) => boolean;
  readonly compare?: (left: string, right: string) => number;
  readonly lastOf?: <Turn>(turns: Turn[], last: number) => Turn[];
  readonly isCleared?: (key: MemoryKey, other: MemoryKey) => boolean;
  /** Of a write that names one. */
  readonly isCurrent?: (named: string, generation: string) => boolean;
};

const isSame = (key: MemoryKey, other: MemoryKey) =>
  key.appName === other.appName && key.userId === other.userId && key.sessionId === other.sessionId;

function mapStore(faults: Faults): MemoryStore {
  const {
    rowOf = ({ appName, userId, sessionId, id }) => [appName, userId, sessionId, id],
    encode = encodeTurn,
    isOf = isSame,
    compare = (left, right) => (left < right ? -1 : 1),
    lastOf = (turns, last) => turns.slice(Math.max(0, turns.length - last)),
    isCleared = isSame,
    isCurrent = (named, generation) => named === generation,
  } = faults;
  const rows = new Map<string, string>();
  const generations = new Map<string, string>();
  const nameOf = ({ appName, userId, sessionId }: MemoryKey) =>
    JSON.stringify([appName, userId, sessionId]);
  const generationOf = (key: MemoryKey) => generations.get(nameOf(key)) ?? '';
  const turnsOf = (key: MemoryKey) =>
    [...rows.values()].map(decodeTurn).filter((turn) => isOf(key, turn));
  const placeOf = ({ createdAt, id }: { readonly createdAt: string; readonly id: string }) =>
    `${new Date(createdAt).toISOString()} ${id}`;
  return {
    loadTurns: async (key, { last = Number.MAX_SAFE_INTEGER } = {}) => {
      if (!Number.isSafeInteger(last) || last < 0) encodeTurn(last);
      const turns = turnsOf(key).sort((left, right) => compare(placeOf(left), placeOf(right)));
      return lastOf(turns, last);
    },
    saveTurn: async (turn, { generation = generationOf(turn) } = {}) => {
      const text = encode(turn);
      if (!isCurrent(generation, generationOf(turn))) return false;
      rows.set(JSON.stringify(rowOf(turn)), text);
      return true;
    },
    clear: async (
      key,
      { generation, next } = { generation: generationOf(key), next: randomUUID() },
    ) => {
      if (!isCurrent(generation, generationOf(key))) return next === generationOf(key);
      generations.set(nameOf(key), next);
      for (const [name, text] of rows) if (isCleared(key, decodeTurn(text))) rows.delete(name);
      return true;
    },
    generation: async (key) => generationOf(key),
    count: async (key) => turnsOf(key).length,
  };
}

async function failedCases(faults: Faults): Promise<string[]> {
  const store = mapStore(faults);
  const failed: string[] = [];
  for (const { name, run } of memoryStoreContract({ open: () => store }))
    await run().catch(() => failed.push(name.replace('memory store: ', '')));
  return failed;
}

describe('the contract of memory stores', () => {
  it('is passed by a store of your own', async () => {
    expect(await failedCases({})).toEqual([]);
  });

  it.each<{ name: string; faults: Faults; failed: string }>([
    {
      name: 'adds a row for each save',
      faults: { rowOf: () => Math.random() },
      failed: 'replaces the turn of an id',
    },
    {
      name: 'takes an id for the whole key',
      faults: { rowOf: ({ id }) => id },
      failed: 'tells keys apart by each part, also for the same turn id',
    },
    {
      name: 'shows the turns of other users',
      faults: { isOf: (key, other) => isSame({ ...key, userId: other.userId }, other) },
      failed: 'tells keys apart by each part, also for the same turn id',
    },
    {
      name: 'takes keys without regard to case',
      faults: {
        isOf: (key, other) =>
          isSame(
            { ...key, userId: key.userId.toLowerCase() },
            { ...other, userId: other.userId.toLowerCase() },
          ),
      },
      failed: 'keeps keys apart that look alike',
    },
    {
      name: 'loads in the order of saving',
      faults: { compare: () => 0 },
      failed: 'loads the oldest first, in whatever order they were saved',
    },
    {
      name: 'orders by time alone',
      faults: { compare: (left, right) => left.slice(0, 24).localeCompare(right.slice(0, 24)) },
      failed: 'orders turns of the same time by their ids',
    },
    {
      name: 'loads the first in place of the last',
      faults: { lastOf: (turns, last) => turns.slice(0, last) },
      failed: 'loads the last ones, the oldest of them first',
    },
    {
      name: 'clears all conversations of a user',
      faults: {
        isCleared: (key, other) => isSame({ ...key, sessionId: other.sessionId }, other),
      },
      failed: 'tells keys apart by each part, also for the same turn id',
    },
    {
      name: 'takes a turn that comes after a clear',
      faults: { isCurrent: () => true },
      failed: 'takes no turn of a generation that is over: a save that comes after a clear',
    },
    {
      name: 'clears again when a clear comes late',
      faults: { isCurrent: () => true },
      failed: 'forgets nothing newer when a clear comes late, or twice',
    },
    {
      name: 'coerces what is not JSON',
      faults: { encode: (turn) => JSON.stringify(turn) },
      failed: 'refuses NaN in event data and keeps what it had',
    },
    {
      name: 'drops NUL characters',
      faults: { encode: (turn) => encodeTurn(turn).replaceAll('\\u0000', '') },
      failed: 'gives back control characters and quotes',
    },
  ])('is failed by a store that $name', async ({ faults, failed }) => {
    expect(await failedCases(faults)).toContain(failed);
  });
});
