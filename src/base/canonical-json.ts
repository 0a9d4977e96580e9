import type { Json } from './json';

/** JSON with sorted keys and no spaces (RFC 8785): equal values give equal text. Members that are `undefined` are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value as { [key: string]: Json | undefined })
      .filter(([, member]) => member !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return canonicalScalar(value);
}

function canonicalScalar(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${value} is not JSON`);
  }
  const isScalar = value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (!isScalar) throw new TypeError(`A ${typeof value} is not JSON`);
  return JSON.stringify(value);
}
