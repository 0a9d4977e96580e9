import { createHash } from 'node:crypto';
import type { Json } from '../protocol/json';
import { canonicalJson } from '../spec/canonical-json';

/** The same for an honest retry of an answer, another for another answer: the server runs each once. */
export function updateId(inputId: string, answer: Json): string {
  return createHash('sha256')
    .update(`${inputId}\n${canonicalJson(answer)}`)
    .digest('hex');
}
