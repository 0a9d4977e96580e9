import { createHash } from 'node:crypto';
import type { Definition } from '../protocol/spec';
import { canonicalJson } from '../base/canonical-json';

/** SHA-256 of the canonical JSON, in hex: the name a pinned definition is known by. */
export function hashDefinition(definition: Definition): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}
