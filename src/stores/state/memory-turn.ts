// Turns as JSON text. Refuses values that JSON would change, and never coerces.

import { LonghaulError } from '../../protocol';
import { isJsonObject } from '../../base';
import { encodeJson, parseStored } from './state-text';
import type { StoredMemoryTurn } from './memory-store';
import { keyText } from './state-key';

/** The limit of a turn's JSON in UTF-8. A turn travels in one payload, and Temporal refuses larger ones. */
const maxBytes = 2 * 1024 * 1024;

const names = ['appName', 'userId', 'sessionId', 'id', 'invocationId'] as const;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The JSON text of a turn. Throws `StoreError` if it is not a turn, not JSON, or larger than 2 MiB. */
export function encodeTurn(turn: unknown): string {
  checkStoredTurn(turn);
  const { eventData, ...rest } = turn;
  const complaint = 'the turn is not JSON';
  const text = encodeJson(eventData === undefined ? rest : turn, { complaint });
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return text;
  throw new LonghaulError(
    'StoreError',
    `the turn has ${bytes} bytes of JSON; at most ${maxBytes} are kept`,
  );
}

/** The turn of a text that `encodeTurn` made. Throws `StoreError` for other texts. */
export function decodeTurn(text: string): StoredMemoryTurn {
  const turn = parseStored(text, 'turn');
  try {
    checkStoredTurn(turn);
  } catch (error) {
    const { message } = error as LonghaulError;
    throw new LonghaulError('StoreError', `the stored turn is damaged: ${message}`, {
      cause: error,
    });
  }
  return turn;
}

/** When a turn was made, as text that sorts by time. */
export function instantOf({ createdAt }: Pick<StoredMemoryTurn, 'createdAt'>): string {
  const time = instant.test(createdAt) ? Date.parse(createdAt) : Number.NaN;
  const text = Number.isNaN(time) ? '' : new Date(time).toISOString();
  if (/^(?!0000)\d{4}-/.test(text)) return text;
  throw new LonghaulError('StoreError', 'createdAt must be a time in ISO 8601 with its time zone');
}

function checkStoredTurn(turn: unknown): asserts turn is StoredMemoryTurn {
  if (!isJsonObject(turn)) throw new LonghaulError('StoreError', 'a turn must be an object');
  for (const name of names) keyText(name, turn[name]);
  checkSaid(turn);
}

/** Checks the fields of a turn that we read. The turn may come from a user's store. */
export function checkSaid(turn: unknown): asserts turn is StoredMemoryTurn {
  if (!isJsonObject(turn)) throw new LonghaulError('StoreError', 'a turn must be an object');
  keyText('id', turn['id']);
  const { user, assistant, createdAt } = turn;
  if (typeof user !== 'string' && !(Array.isArray(user) && user.every(isUserPart)))
    throw new LonghaulError('StoreError', 'user must be a text or a list of text and media parts');
  if (typeof assistant !== 'string')
    throw new LonghaulError('StoreError', 'assistant must be a text');
  instantOf({ createdAt: typeof createdAt === 'string' ? createdAt : '' });
}

function isUserPart(part: unknown): boolean {
  if (!isJsonObject(part)) return false;
  const { type, text, mediaType, source } = part;
  if (type === 'text') return typeof text === 'string';
  return type === 'media' && typeof mediaType === 'string' && isJsonObject(source);
}
