// Makes the digest of what a person saw of a call. A verdict with another digest is refused. Pure.

import { canonicalJson, sha256 } from '../../base';
import type { PendingInput } from '../../protocol/run';

const digestLength = 32;

/** The first 32 hex digits of SHA-256 over the canonical JSON of `[tool, arguments, preview]`. */
export function digestOf({ call, preview }: Pick<PendingInput, 'call' | 'preview'>): string {
  const seen = [call?.name ?? null, call?.args ?? null, preview ?? null];
  return sha256(escaped(canonicalJson(seen))).slice(0, digestLength);
}

/** The same JSON with each character that is not ASCII as `\uXXXX`, because the hash takes bytes. */
const escaped = (json: string): string =>
  json.replace(/[^\p{ASCII}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
