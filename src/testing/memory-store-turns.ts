import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { MemoryKey, MemoryStore, StoredMemoryTurn } from '../worker';

const noon = Date.UTC(2026, 2, 1, 12);

/** A key no other case has. */
export function newKey(): MemoryKey {
  return { appName: randomUUID(), userId: randomUUID(), sessionId: randomUUID() };
}

/** A turn made so many seconds after noon. Its id is a UUID of version 7 whose order is that of `rank`. */
export function turnOf(
  key: MemoryKey,
  second: number,
  { rank = second, ...fields }: Partial<StoredMemoryTurn> & { readonly rank?: number } = {},
): StoredMemoryTurn {
  const time = (noon + rank * 1000).toString(16).padStart(12, '0');
  return {
    ...key,
    id: `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`,
    invocationId: `run-${second}`,
    user: `question ${second}`,
    assistant: `answer ${second}`,
    createdAt: new Date(noon + second * 1000).toISOString(),
    ...fields,
  };
}

export async function saveAll(
  store: MemoryStore,
  turns: readonly StoredMemoryTurn[],
): Promise<void> {
  for (const turn of turns) await store.saveTurn(turn);
}

/** By the text: what one realm of a test runner makes is not strictly equal to another's. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function assertTurns(
  actual: readonly StoredMemoryTurn[],
  expected: readonly StoredMemoryTurn[],
): void {
  assert.deepEqual(plain(actual), plain(expected));
}
