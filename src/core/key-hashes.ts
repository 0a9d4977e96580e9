// Hashes of a run's key, for memos and search attributes. With the key you can find its runs. Without the key you cannot read who they
// belong to. Pure.
//
// 1. A hash hides a member that nobody can guess. Somebody who guesses a member can confirm it.
// 2. Two members never share an entry. Two values of one member never share an entry either.

import { sha256 } from '../base';
import type { RunKey } from '../protocol/run';

/** The prefixes of entries, by member. The compiler compares this list with the type. */
const prefixes: Readonly<Record<keyof RunKey, string>> = {
  appName: 'app',
  userId: 'user',
  sessionId: 'session',
  tenant: 'tenant',
};

export const keyMembers = Object.keys(prefixes) as (keyof RunKey)[];

/** An entry for each member that is set: `user-<128 bits of SHA-256>`. */
export function keyHashes(key: RunKey | undefined): readonly string[] {
  return keyMembers.flatMap((name) => {
    const value = key?.[name];
    if (typeof value !== 'string' || value === '') return [];
    const text = asciiJson(['longhaul key', name, value]);
    return [`${prefixes[name]}-${sha256(text).slice(0, 32)}`];
  });
}

/** Escapes by UTF-16 code units, because in UTF-8 all lone surrogates are the same. */
function asciiJson(value: readonly string[]): string {
  return JSON.stringify(value).replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
