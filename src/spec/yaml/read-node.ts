import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../base/json';
import { shapeProblems } from '../../base/check-shape';
import { didYouMean, nearest } from '../../base/nearest';
import { describeValue, formatPath, quote } from '../../base/problem';
import { fieldName, otherSpellings } from './field-names';
import { freeKeyword, valuesKeyword } from './format-keywords';
import {
  isBroken,
  isNull,
  plainValue,
  textOf,
  type Located,
  type LocatedList,
  type LocatedMap,
  type Place,
} from './located';
import { problemAt, type SpecProblem } from './spec-problem';
import type { FieldPlaces, Path } from './field-places';
import { chooseAlternative, resolveSchema } from './choose-alternative';

/** A thousand wrong keys must not cost a thousand searches. */
const mostSuggestions = 50;

/** Where a value stands: by our own names, and by those in the file. */
export type At = { readonly path: Path; readonly written: Path };

/**
 * Reads located values by a schema of the format: fields by our own names, however they are spelled, and what is wrong with its
 * place. Where something is wrong the value lacks it, and what lacks nothing else can still be looked at.
 */
export class NodeReader {
  readonly problems: SpecProblem[] = [];
  readonly places: FieldPlaces;
  readonly #definitions: JsonSchema;
  readonly #unsound = new Set<string>();
  #suggestions = 0;

  constructor(definitions: JsonSchema, places: FieldPlaces) {
    this.#definitions = definitions;
    this.places = places;
  }

  read(named: JsonSchema, node: Located, at: At): Json | undefined {
    this.places.note(at.path, { place: node.place, written: formatPath(at.written) });
    if (isBroken(node)) return this.#markUnsound(at.path);
    const schema = resolveSchema(named, this.#definitions);
    if (Array.isArray(schema.anyOf)) return this.#readUnion(schema, node, at);
    if (schema[freeKeyword] === true && node.kind === 'map') return this.#readFree(node, at);
    if (node.kind === 'map' && isJsonObject(schema.properties)) {
      return this.#readObject(schema, node, at);
    }
    if (node.kind === 'list' && isJsonObject(schema.items)) return this.#readList(schema, node, at);
    return this.#readLeaf(schema, node, at);
  }

  /** Whether nothing is wrong with what stands there, nor with anything in it. */
  isSound(path: Path): boolean {
    return !this.#unsound.has(formatPath(path));
  }

  #refuse(place: Place, at: At, message: string): undefined {
    this.problems.push(problemAt(place, formatPath(at.written), message));
    this.#markUnsound(at.path);
  }

  #markUnsound(path: Path): undefined {
    path.forEach((_, index) => this.#unsound.add(formatPath(path.slice(0, index + 1))));
  }

  #readUnion(schema: JsonSchema, node: Located, at: At): Json | undefined {
    const choice = chooseAlternative(schema, node, this.#definitions);
    if ('schema' in choice) return this.read(choice.schema, node, at);
    if (choice.kind === 'unknown') {
      const inside = { path: at.path, written: [...at.written, choice.written] };
      this.#refuse(choice.node.place, inside, choice.message);
      // Others may name it.
      return node.kind === 'map' ? withoutKind(node) : undefined;
    }
    return this.#readLeaf({ ...schema, anyOf: [...choice.alternatives] }, node, at);
  }

  #readObject(schema: JsonSchema, node: LocatedMap, at: At): JsonObject {
    const properties = schema.properties as { readonly [name: string]: JsonSchema };
    const known = (name: string) => Object.hasOwn(properties, name);
    const result: JsonObject = {};
    const spelled = new Map<string, string>();
    for (const [written, { key, value }] of node.entries) {
      const name = fieldName(written, known);
      const inside = { path: [...at.path, name ?? written], written: [...at.written, written] };
      const earlier = name === undefined ? undefined : spelled.get(name);
      if (name === undefined || earlier !== undefined) {
        const message =
          earlier === undefined
            ? `is not known${this.#meant(written, Object.keys(properties))}`
            : `is the same field as ${quote(earlier)}: keep one of them`;
        this.#refuse(key, inside, message);
        continue;
      }
      spelled.set(name, written);
      // A field without a value is a field left out.
      if (isNull(value)) continue;
      const read = this.read(properties[name] as JsonSchema, value, inside);
      if (read !== undefined) result[name] = read;
    }
    if (node.isPartial === true) this.#markUnsound(at.path);
    else this.#requireFields(schema, node, { ...at, spelled });
    return result;
  }

  #meant(written: string, names: readonly string[]): string {
    this.#suggestions += 1;
    return this.#suggestions > mostSuggestions ? '' : meantField(written, names);
  }

  #requireFields(
    schema: JsonSchema,
    node: LocatedMap,
    { spelled, ...at }: At & { readonly spelled: ReadonlyMap<string, string> },
  ): void {
    for (const name of (schema.required ?? []) as string[]) {
      const written = spelled.get(name);
      const entry = written === undefined ? undefined : node.entries.get(written);
      if (entry !== undefined && !isNull(entry.value)) continue;
      const member = (schema.properties as { readonly [name: string]: JsonSchema })[name] ?? {};
      const properties = { [name]: resolveSchema(member, this.#definitions) };
      const [problem] = shapeProblems({ properties, required: [name] }, {});
      const inside = { path: at.path, written: [...at.written, written ?? name] };
      this.#refuse(entry?.key ?? node.place, inside, problem?.message ?? 'is required');
    }
  }

  #readList(schema: JsonSchema, node: LocatedList, at: At): Json | undefined {
    const { items, minItems = 0, maxItems = Infinity, uniqueItems } = schema;
    if (node.items.length < Number(minItems))
      return this.#refuse(node.place, at, 'must not be empty');
    if (node.items.length > Number(maxItems)) {
      return this.#refuse(node.place, at, `must have at most ${Number(maxItems)} items`);
    }
    const found: Json[] = [];
    node.items.forEach((item, index) => {
      const inside = { path: [...at.path, index], written: [...at.written, index] };
      const value = this.read(items as JsonSchema, item, inside);
      if (uniqueItems === true && value !== undefined && found.includes(value)) {
        this.#refuse(item.place, inside, `lists ${describeValue(value)} a second time`);
      }
      // What is wrong keeps its place: the index of the others is told in other problems.
      found.push(value ?? null);
    });
    return found;
  }

  /** As it is, with the place of everything in it. */
  #readFree(node: Located, at: At): Json {
    if (isBroken(node)) this.#markUnsound(at.path);
    if (node.kind === 'scalar') return node.value;
    const members: readonly (readonly [string | number, Located])[] =
      node.kind === 'list'
        ? [...node.items.entries()]
        : [...node.entries].map(([name, { value }]) => [name, value] as const);
    for (const [name, value] of members) {
      const inside = { path: [...at.path, name], written: [...at.written, name] };
      this.places.note(inside.path, { place: value.place, written: formatPath(inside.written) });
      this.#readFree(value, inside);
    }
    return plainValue(node);
  }

  #readLeaf(schema: JsonSchema, node: Located, at: At): Json | undefined {
    const values = (schema[valuesKeyword] ?? {}) as { readonly [written: string]: Json };
    const readings = readingsOf(node).map((value) =>
      typeof value === 'string' && Object.hasOwn(values, value) ? (values[value] ?? value) : value,
    );
    const fitting = readings.find((value) => shapeProblems(schema, value).length === 0);
    if (fitting !== undefined) return fitting;
    const [problem] = shapeProblems(schema, readings[0]);
    return this.#refuse(node.place, at, problem?.message ?? 'is not valid');
  }
}

function withoutKind(node: LocatedMap): JsonObject {
  const id = textOf(node.entries.get('id')?.value);
  return id === undefined ? {} : { id };
}

/** Text from the environment stands for a number or for true or false where one is expected. */
function readingsOf(node: Located): readonly Json[] {
  const value = plainValue(node);
  if (node.kind !== 'scalar' || node.isExpanded !== true || typeof value !== 'string') {
    return [value];
  }
  if (value === 'true' || value === 'false') return [value, value === 'true'];
  return /^-?\d+(?:\.\d+)?$/.test(value) ? [value, Number(value)] : [value];
}

/** Of two spellings of one field the nearer one. */
function meantField(written: string, names: readonly string[]): string {
  const known = (name: string) => names.includes(name);
  const near = nearest(
    written,
    names.flatMap((name) => [name, ...otherSpellings(name, known)]),
  );
  const meant = near.filter((name, index) => {
    const same = (other: string) => fieldName(other, known) === fieldName(name, known);
    return near.findIndex(same) === index;
  });
  return didYouMean(written, meant);
}
