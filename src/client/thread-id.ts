// The workflow id of a thread: anyone who knows whose conversation it is finds it, and no two conversations share one.

import { createHash } from 'node:crypto';
import { InvalidInput } from '../protocol/error-classes';
import { threadType } from '../protocol/names';
import type { ThreadKey } from '../protocol/thread';

const longestThreadId = 200;

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
    throw new InvalidInput(`${name} must be a text of 1 to 200 characters, none of them a control`);
  }
  return key;
}

/** `thread:<app>/<user>/<session>`, percent-encoded; too long a one is cut, and ends in `~` and a hash of the whole. */
export function threadId({ appName, userId, sessionId }: ThreadKey): string {
  const id = `${threadType}:${[appName, userId, sessionId].map(encoded).join('/')}`;
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
