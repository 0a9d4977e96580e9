// Keeps the places of values in files, and the problems. Every phase of loading reports to one `Reading`.

import type { z } from 'zod';
import { formatPath, type Json, type Problem } from '../../base';
import { LonghaulError } from '../../protocol';
import { parseByKind, type SchemaProblem } from '../problems/from-zod';

/** A place in a file, counted from 1. */
export type Place = { readonly file: string; readonly line: number; readonly column: number };

/** What is wrong with a spec, and where. `path` names the field as the file spells it. It is empty if the whole file is wrong. */
export type SpecProblem = Place & { readonly path: string; readonly message: string };

const mostShown = 50;

export function startOf(file: string): Place {
  return { file, line: 1, column: 1 };
}

export function problemAt(place: Place, path: string, message: string): SpecProblem {
  const { file, line, column } = place;
  return { file, line, column, path, message };
}

export function formatPlace({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

export function formatSpecProblem({ path, message, ...place }: SpecProblem): string {
  return `${formatPlace(place)}: ${path === '' ? message : `${path} ${message}`}`;
}

/** One error for everything that is wrong, in the order of `files` and of lines. `details.problems` lists every problem. */
export function specFilesError(
  found: readonly SpecProblem[],
  files: readonly string[] = [],
): LonghaulError {
  const problems = sortProblems(found, files);
  const lines = problems.slice(0, mostShown).map(formatSpecProblem);
  if (problems.length > mostShown) lines.push(`… and ${problems.length - mostShown} more`);
  const message =
    problems.length === 1
      ? lines.join('')
      : `The specs have ${problems.length} problems:\n${lines.map((line) => `- ${line}`).join('\n')}`;
  return new LonghaulError('SpecError', message, { details: { problems } });
}

/** Each problem once, in the order of these files and of lines. */
export function sortProblems(
  found: readonly SpecProblem[],
  first: readonly string[],
): SpecProblem[] {
  const unique = [
    ...new Map(found.map((problem) => [formatSpecProblem(problem), problem])).values(),
  ];
  const files = [...new Set([...first, ...unique.map(({ file }) => file)])];
  return unique.sort(
    (one, other) =>
      files.indexOf(one.file) - files.indexOf(other.file) ||
      one.line - other.line ||
      one.column - other.column,
  );
}

export type Path = readonly (string | number)[];

/** `environment`: the text may stand for a number, for true or false. `refused`: its problem was reported; its value is null. */
export type ValueOrigin = 'environment' | 'refused';

/** The place of a member of an object or a list, and how the file spells its key. */
export type Mark = {
  readonly value: Place;
  readonly key: Place;
  readonly written: string | number;
  readonly origin?: ValueOrigin | undefined;
};

/** A document of a file. */
export type Source = { readonly value: Json; readonly mark: Mark };

/** A value in a document. */
export type At = { readonly source: Source; readonly path: Path };

/** A value, as far as its path could be followed. */
type FoundValue = {
  readonly mark: Mark;
  readonly value: Json | undefined;
  readonly written: Path;
  /** How many keys of the path lead nowhere. */
  readonly left: number;
};

/**
 * The places of the values of files. The values are plain JSON. Their members are marked here, by the object or list that contains them. A
 * pass that makes new objects marks their members again.
 */
export class Places {
  readonly #marks = new WeakMap<object, Map<string | number, Mark>>();
  readonly #partial = new WeakSet<object>();

  mark(holder: object, key: string | number, mark: Mark | undefined): void {
    if (mark === undefined) return;
    const marks = this.#marks.get(holder) ?? new Map<string | number, Mark>();
    this.#marks.set(holder, marks.set(key, mark));
  }

  markOf(holder: object, key: string | number): Mark | undefined {
    return this.#marks.get(holder)?.get(key);
  }

  /** Some of its members could not be read. */
  markPartial(holder: object): void {
    this.#partial.add(holder);
  }

  isPartial(holder: object): boolean {
    return this.#partial.has(holder);
  }

  /** Whether everything in the value could be read. */
  isWhole(value: Json): boolean {
    if (!isHolder(value)) return true;
    const marks = [...(this.#marks.get(value)?.values() ?? [])];
    return (
      !this.isPartial(value) &&
      marks.every(({ origin }) => origin !== 'refused') &&
      Object.values(value).every((member) => this.isWhole(member))
    );
  }

  /** The value with its null fields. Passes leave them out, but mark them. */
  withNulls(value: Json): Json {
    if (!isHolder(value)) return value;
    if (Array.isArray(value)) return value.map((item) => this.withNulls(item));
    const members = [...(this.#marks.get(value)?.keys() ?? [])].map((key) => {
      const member = memberOf(value, key);
      return [key, member === undefined ? null : this.withNulls(member)] as const;
    });
    return Object.fromEntries(members);
  }

  /** The value at a path, or the nearest one around it. */
  find({ source, path }: At): FoundValue {
    let { value, mark }: { value: Json | undefined; mark: Mark } = source;
    const written: (string | number)[] = [];
    for (const key of path) {
      const next: Mark | undefined = isHolder(value) ? this.markOf(value, key) : undefined;
      if (next === undefined) break;
      value = memberOf(value as object, key);
      mark = next;
      written.push(next.written);
    }
    const left = path.slice(written.length);
    return { mark, value, written: [...written, ...left], left: left.length };
  }

  /** A problem with its place. None if a value there was refused before: that is reported already, and this problem may follow from it. */
  locate(at: At, { message, of }: Omit<SchemaProblem, 'path'>): readonly SpecProblem[] {
    const { mark, value, written, left } = this.find(at);
    const isExact = left === 0;
    const isPartial = isHolder(value) && this.isPartial(value);
    const isBroken = value !== undefined && of !== 'type' && !this.isWhole(value);
    const isRefused = mark.origin === 'refused' || (isExact ? isBroken : isPartial);
    if (isRefused && of !== 'key') return [];
    const isMissing = isExact && value === undefined;
    const place = of === 'key' || isMissing ? mark.key : mark.value;
    return [problemAt(place, formatPath(written), message)];
  }
}

/** `items[0].name` as `['items', 0, 'name']`. */
export function parsePath(text: string): Path {
  const keys = text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g);
  return [...keys].map(([, index, quoted, name = '']) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
}

function isHolder(value: Json | undefined): value is Json[] | { [key: string]: Json } {
  return typeof value === 'object' && value !== null;
}

function memberOf(holder: object, key: string | number): Json | undefined {
  return Object.hasOwn(holder, key)
    ? (holder as { readonly [key: string | number]: Json })[key]
    : undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** One reading of files: the places of their values, and all problems. */
export class Reading {
  readonly env: Environment;
  readonly places = new Places();
  readonly problems: SpecProblem[] = [];
  /** A file that could not be read may define any runner and any tool. */
  hasUnreadFile = false;

  constructor(env: Environment) {
    this.env = env;
  }

  /** A problem of a value, by its path from `at`. */
  report({ source, path }: At, inside: Path, problem: Omit<SchemaProblem, 'path'>): void {
    const at = { source, path: [...path, ...inside] };
    this.problems.push(...this.places.locate(at, problem));
  }

  /** The place of a value. Undefined if the value could not be read. */
  placeOf({ source, path }: At, inside: Path): Place | undefined {
    return this.places.locate({ source, path: [...path, ...inside] }, { message: '' })[0];
  }

  reportAt(place: Place, path: string, message: string): void {
    this.problems.push(problemAt(place, path, message));
  }
}

/** A value as its schema makes it, or as the file has it if something in it is wrong. */
export type Checked = {
  readonly value: Json | undefined;
  /** Paths of what is wrong. */
  readonly wrong: readonly Path[];
};

/** Parses the value at a place, and reports what is wrong. Text from the environment may mean a number, true or false. */
export function check(schema: z.ZodType, at: At, reading: Reading): Checked {
  const { places } = reading;
  const { value } = places.find(at);
  let parsed = parseByKind(schema, value);
  if (!parsed.ok && convertTexts(parsed.problems, at, reading)) parsed = parseByKind(schema, value);
  // A field that is null is left out, but a field that is not known is refused.
  const nulls = parseByKind(schema, value === undefined ? value : places.withNulls(value));
  const unknown = nulls.ok ? [] : nulls.problems.filter(({ of }) => of === 'key');
  const problems = [...(parsed.ok ? [] : parsed.problems), ...unknown];
  const wrong = problems.map(({ path, ...problem }) => {
    const inside = parsePath(path);
    reading.report(at, inside, problem);
    return inside;
  });
  return { value: parsed.ok ? (parsed.value as Json) : value, wrong };
}

/** Fields with any members: JSON Schemas, and settings that go to a provider as they are. */
const freeForm = [
  'schema',
  'extra',
  ...['inputSchema', 'input_schema', 'resultSchema', 'result_schema'],
];

export function isFreeForm(name: string): boolean {
  return freeForm.includes(name);
}

function convertTexts(
  problems: readonly Problem[],
  { source, path }: At,
  { places }: Reading,
): boolean {
  const convertible = problems.filter((problem) => {
    const inside = parsePath(problem.path);
    const key = inside.at(-1);
    const holder = places.find({ source, path: [...path, ...inside.slice(0, -1)] }).value;
    if (key === undefined || typeof holder !== 'object' || holder === null) return false;
    if (inside.some((part) => isFreeForm(String(part)))) return false;
    const text = (holder as { readonly [key: string | number]: Json })[key];
    const isFromEnvironment = places.markOf(holder, key)?.origin === 'environment';
    if (!isFromEnvironment || typeof text !== 'string') return false;
    if (!/^(?:-?\d+(?:\.\d+)?|true|false)$/.test(text)) return false;
    const converted = text === 'true' || text === 'false' ? text === 'true' : Number(text);
    Object.assign(holder, { [key]: converted });
    return true;
  });
  return convertible.length > 0;
}
