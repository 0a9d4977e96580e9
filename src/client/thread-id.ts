// The workflow id of a thread: anyone who knows whose conversation it is finds it, and no two conversations share one.

import { createHash, createHmac } from 'node:crypto';
import { LonghaulError } from '../protocol/errors';
import type { ThreadKey } from '../protocol/thread';

const longestThreadId = 200;
const shortestSecret = 16;

/** Throws `InvalidInput` for a secret that can be guessed. */
export function checkIdSecret(secret: unknown): void {
  if (secret === undefined) return;
  if (typeof secret === 'string' && secret.length >= shortestSecret) return;
  throw new LonghaulError(
    'InvalidInput',
    `hashIds must be a secret text of at least ${shortestSecret} characters`,
  );
}

const namePattern = /^[^\p{Cc}]{1,200}$/u;

/** The user is `default` unless one is named. */
export function threadKey(names: {
  readonly appName: string;
  readonly userId?: string;
  readonly sessionId: string;
}): ThreadKey {
  const { appName, userId = 'default', sessionId } = names;
  const key = { appName, userId, sessionId };
  for (const [name, value] of Object.entries(key)) {
    if (typeof value === 'string' && namePattern.test(value)) continue;
    throw new LonghaulError(
      'InvalidInput',
      `${name} must be a text of 1 to 200 characters without control characters`,
    );
  }
  return key;
}

/**
 * `thread:<app>/<user>/<session>`, percent-encoded; too long a one is cut, and ends in `~` and a hash of the whole. With a secret all of it
 * is a keyed hash: without the key nobody can try out whose it is.
 */
export function threadId({ appName, userId, sessionId }: ThreadKey, secret?: string): string {
  if (secret !== undefined) {
    const whole = JSON.stringify([appName, userId, sessionId]);
    return `thread:${createHmac('sha256', secret).update(whole).digest('hex')}`;
  }
  const id = `thread:${[appName, userId, sessionId].map(encoded).join('/')}`;
  if (id.length <= longestThreadId) return id;
  const hash = createHash('sha256').update(id).digest('hex');
  return `${id.slice(0, longestThreadId - hash.length - 1)}~${hash}`;
}

/** UTF-8 bytes but letters, digits, `.`, `_` and `-`; a lone surrogate, which UTF-8 lacks, as its code unit. */
function encoded(text: string): string {
  return [...text].map(encodedCharacter).join('');
}

function encodedCharacter(character: string): string {
  if (/^[A-Za-z0-9._-]$/.test(character)) return character;
  if (/^\p{Cs}$/u.test(character)) return `%u${character.charCodeAt(0).toString(16)}`;
  const bytes = [...Buffer.from(character, 'utf8')];
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
}
