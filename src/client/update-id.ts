import { createHash } from 'node:crypto';
import type { Json } from '../base/json';
import { canonicalJson } from '../base/canonical-json';

/**
 * The same for an honest retry of an answer, another for another answer: the server runs each once. It stands in clear in history; the
 * nonce does not.
 */
export function updateId(nonce: string, answer: Json): string {
  return createHash('sha256')
    .update(`${nonce}\n${canonicalJson(answer)}`)
    .digest('hex')
    .slice(0, 32);
}
