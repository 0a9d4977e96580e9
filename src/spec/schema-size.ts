// How large a schema is once each reference in it is replaced by what it refers to: checking a value takes time in proportion.

import { isJsonObject, type Json, type JsonSchema } from '../base/json';
import type { Problem } from '../base/problem';
import { partsOf } from './schema-walk';

const mostSchemas = 10_000;
const deepest = 200;

/** Why nobody can afford to check a value against the schema. Twenty references to twice the one below make a million schemas of 2 kB. */
export function sizeProblems(schema: JsonSchema): Problem[] {
  const size = new UnfoldedSize(schema);
  const schemas = size.of(schema, 0);
  if (size.isTooDeep) {
    return [
      { path: '', message: `is nested more than ${deepest} levels deep, with its references` },
    ];
  }
  if (schemas <= mostSchemas) return [];
  const found = schemas < 1e9 ? Math.round(schemas).toLocaleString('en') : 'more than a billion';
  const message = `comes to ${found} schemas with its references written out; at most ${mostSchemas.toLocaleString('en')} can be checked. Refer to the same schema less often`;
  return [{ path: '', message }];
}

class UnfoldedSize {
  isTooDeep = false;
  readonly #root: JsonSchema;
  readonly #sizes = new Map<JsonSchema, number>();
  readonly #named = new Map<string, JsonSchema>();

  constructor(root: JsonSchema) {
    this.#root = root;
    this.#collectNames(root, 0);
  }

  /** Each schema is looked at once. One that refers to itself counts once: it goes on only where the value does. */
  of(schema: Json | undefined, depth: number): number {
    if (!isJsonObject(schema)) return 0;
    const known = this.#sizes.get(schema);
    if (known !== undefined) return known;
    if (depth > deepest) this.isTooDeep = true;
    if (this.isTooDeep) return 1;
    this.#sizes.set(schema, 1);
    const parts = partsOf(schema).filter(({ path }) => !isDefinition(path));
    const applied = [...parts.map((part) => part.schema), ...this.#references(schema)];
    const size = applied.reduce<number>((sum, part) => sum + this.of(part, depth + 1), 1);
    this.#sizes.set(schema, size);
    return size;
  }

  #references({ $ref, $dynamicRef, $recursiveRef }: JsonSchema): Json[] {
    const references = [$ref, $dynamicRef, $recursiveRef].filter((ref) => typeof ref === 'string');
    return references.flatMap((ref) => this.#referred(ref) ?? []);
  }

  #referred(reference: string): Json | undefined {
    const [base = '', fragment = ''] = reference.split('#', 2);
    const holder = base === '' ? this.#root : this.#named.get(base);
    if (fragment === '') return holder;
    if (!fragment.startsWith('/')) return this.#named.get(`#${fragment}`);
    return fragment
      .slice(1)
      .split('/')
      .reduce<Json | undefined>((value, segment) => memberOf(value, segment), holder);
  }

  #collectNames(schema: Json, depth: number): void {
    if (!isJsonObject(schema) || depth > deepest) return;
    const { $id, $anchor, $dynamicAnchor } = schema;
    if (typeof $id === 'string') this.#named.set($id, schema);
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === 'string') this.#named.set(`#${anchor}`, schema);
    }
    for (const part of partsOf(schema)) this.#collectNames(part.schema, depth + 1);
  }
}

function isDefinition([keyword]: readonly (string | number)[]): boolean {
  return keyword === '$defs' || keyword === 'definitions';
}

function memberOf(value: Json | undefined, segment: string): Json | undefined {
  const name = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~');
  if (Array.isArray(value)) return value[Number(name)];
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
