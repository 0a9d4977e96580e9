// What is seen of a run's key in memos and on the server's index: whose run it is, told only to who knows whom to ask for. Pure.
//
// 1. A hash says nothing of a member that cannot be guessed; one that can be guessed can be confirmed.
// 2. Two members, or two values of one, never share an entry.

import { sha256 } from '../base/sha256';
import type { RunKey } from '../protocol/run';

/** What the entries of a member begin with. Compiled against the type: a member that is added there must be added here, too. */
const prefixes: Readonly<Record<keyof RunKey, string>> = {
  appName: 'app',
  userId: 'user',
  sessionId: 'session',
};

export const keyMembers = Object.keys(prefixes) as (keyof RunKey)[];

export const keyHashPattern = /^(app|user|session)-[0-9a-f]{32}$/;

/** An entry for each member that says something: `user-<128 bits of SHA-256>`. */
export function keyHashes(key: RunKey | undefined): readonly string[] {
  return keyMembers.flatMap((name) => {
    const value = key?.[name];
    if (typeof value !== 'string' || value === '') return [];
    const text = asciiJson(['longhaul key', name, value]);
    return [`${prefixes[name]}-${sha256(text).slice(0, 32)}`];
  });
}

/** By UTF-16 code units: in UTF-8 all lone surrogates would be the same. */
function asciiJson(value: readonly string[]): string {
  return JSON.stringify(value).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
