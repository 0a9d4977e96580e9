/** The digest of no ids. */
export const emptyDigest = 'cbf29ce484222325';

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');

/** The finaliser of MurmurHash3: every input bit reaches every output bit. */
function mix(word: number): number {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Appends one id to a rolling 64-bit hash, 16 hex characters. It depends on the order and on where ids end. */
export function extendDigest(digest: string, id: string): string {
  let high = Number.parseInt(digest.slice(0, 8), 16) | 0;
  let low = Number.parseInt(digest.slice(8), 16) | 0;
  for (let at = 0; at < id.length; at += 1) {
    const unit = id.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193) + (low >>> 15);
    low = Math.imul(low ^ unit, 0x9e3779b1) + (high >>> 17);
  }
  const length = id.length + 1;
  high = mix(high ^ Math.imul(length, 0x27d4eb2f)) + low;
  low = mix(low ^ Math.imul(length, 0x165667b1)) + high;
  return hex(high) + hex(low);
}

/** The hash of one text, 16 hex characters: enough to distinguish the thousands of items in one tree of runs. */
export function hashOf(text: string): string {
  return extendDigest(emptyDigest, text);
}
