import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { MemoryKey, MemoryStore, StoredMemoryTurn } from '../stores';

/** Values that a store must return unchanged. */
export const faithfulTurns: Readonly<Record<string, TurnContent>> = {
  'a turn of texts': { user: 'Where to?', assistant: 'Oslo.' },
  'empty texts': { user: '', assistant: '' },
  'text of all scripts': { user: 'Zoë – 東京 – שלום', assistant: '👩‍👩‍👧 \u{10ffff} e\u0301 \u00e9' },
  'control characters and quotes': { user: '\0\b\t\r\n\u001f\u007f', assistant: `"'\\/%?$1 :a` },
  'halves of surrogate pairs': { user: 'a\ud83d', assistant: '\udc00b', eventData: ['\ud800'] },
  'media among the text': {
    user: [
      { type: 'text', text: 'What is on these?' },
      { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'iVBORw0KGgo=' } },
      {
        type: 'media',
        mediaType: 'application/pdf',
        source: { kind: 'url', url: 'https://example.test/a?b#c' },
        sealed: { api: 'openai-responses', model: 'gpt', data: { id: 'file-1' } },
      },
    ],
  },
  'event data of every kind': {
    eventData: {
      usage: {
        inputTokens: 12,
        outputTokens: 0.5,
        cacheReadTokens: null,
        totalTokens: Number.MAX_SAFE_INTEGER,
      },
      toolCalls: [{ name: 'get_weather', args: { days: [1, [], {}], metric: true, '': '' } }],
    },
  },
  'event data that is null': { eventData: null },
  'event data with the keys all objects have': {
    eventData: JSON.parse('{"__proto__":{"a":1},"constructor":"Ferrari","toString":0}') as null,
  },
  'a turn of 1 MiB': { user: 'x'.repeat(512 * 1024), assistant: 'ä'.repeat(256 * 1024) },
};

/** Values that a store must refuse: not a turn, or changed by JSON. Each use makes new ones. */
export const refusedTurns: Readonly<Record<string, () => object>> = {
  'a turn without an id': () => ({ id: '' }),
  'an id with NUL': () => ({ id: 'a\0b' }),
  'a turn without a user id': () => ({ userId: undefined }),
  'a session id of half a surrogate pair': () => ({ sessionId: '\ud83d' }),
  'a turn without an invocation id': () => ({ invocationId: undefined }),
  'a user that is neither text nor parts': () => ({ user: { text: 'Hello' } }),
  'parts that no user message has': () => ({ user: [{ type: 'tool_call', name: 'a' }] }),
  'an assistant that is no text': () => ({ assistant: ['Hello'] }),
  'a time without a zone': () => ({ createdAt: '2026-03-01T10:00:00' }),
  'a time that is a Date': () => ({ createdAt: new Date(0) }),
  'NaN in event data': () => ({ eventData: { tokens: Number.NaN } }),
  'a Date in event data': () => ({ eventData: [new Date(0)] }),
  'a BigInt in event data': () => ({ eventData: 1n }),
  'event data that contains itself': () => {
    const eventData: unknown[] = [];
    eventData.push({ eventData });
    return { eventData };
  },
};

const noon = Date.UTC(2026, 2, 1, 12);

/** A key that no other case uses. */
export function newKey(): MemoryKey {
  return { appName: randomUUID(), userId: randomUUID(), sessionId: randomUUID() };
}

/** A turn that was made `second` seconds after noon. Its id is a UUID of version 7, ordered by `rank`. */
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

/** A copy through JSON, because values of two realms of a test runner are not strictly equal. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function assertTurns(
  actual: readonly StoredMemoryTurn[],
  expected: readonly StoredMemoryTurn[],
): void {
  assert.deepEqual(plain(actual), plain(expected));
}

type TurnContent = Partial<Pick<StoredMemoryTurn, 'user' | 'assistant' | 'eventData'>>;
