import type { Json } from '../../base/json';

/** What a reference within a schema points at: `#`, or `#/$defs/name`. Undefined for nothing and for any other reference. Pure. */
export function pointedAt(root: Json, pointer: string): Json | undefined {
  const [base, ...segments] = pointer.split('/');
  if (base !== '#') return undefined;
  return segments.reduce<Json | undefined>((value, segment) => {
    const name = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    const isMember = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return isMember ? (value as { readonly [name: string]: Json })[name] : undefined;
  }, root);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
