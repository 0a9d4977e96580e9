// Finds the target of a `$ref` in a schema: `#`, `#/$defs/name`, an `$anchor`, or an `$id` as it is written there. Pure.

import type { Json, JsonSchema } from '../../base';
import { schemasWithin } from './keywords';

export class References {
  readonly #root: JsonSchema;
  readonly #targets = new Map<string, Json | undefined>();
  #named: ReadonlyMap<string, Json> | undefined;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /**
   * Undefined for a reference to nothing, or out of the schema. It resolves each reference once, because a reference may be as long as the
   * schema.
   */
  target(reference: string): Json | undefined {
    if (!this.#targets.has(reference)) this.#targets.set(reference, this.#find(reference));
    return this.#targets.get(reference);
  }

  #find(reference: string): Json | undefined {
    if (/^#(?:\/|$)/.test(reference)) return pointedAt(this.#root, reference);
    this.#named ??= namesIn(this.#root);
    const named = this.#named.get(reference.replace(/#$/, ''));
    if (named !== undefined) return named;
    const [id = '', pointer] = reference.split('#/', 2);
    const base = this.#named.get(id);
    return base === undefined || pointer === undefined
      ? undefined
      : pointedAt(base, reference.slice(id.length));
  }
}

/** By `$id`, and by `#` and `$anchor`. */
function namesIn(root: JsonSchema): ReadonlyMap<string, Json> {
  const names = new Map<string, Json>();
  for (const schema of schemasWithin(root)) {
    const { $id, $anchor } = schema;
    if (typeof $id === 'string') names.set($id.replace(/#$/, ''), schema);
    if (typeof $anchor === 'string') names.set(`#${$anchor}`, schema);
  }
  return names;
}

function pointedAt(root: Json, pointer: string): Json | undefined {
  const [, ...segments] = pointer.split('/');
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
