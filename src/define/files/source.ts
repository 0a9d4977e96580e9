// Turns text into plain values, and notes the place of each value in `Places`.

import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';
import type { Alias, Document, Node, Pair, Scalar, YAMLError, YAMLMap, YAMLSeq } from 'yaml';
import {
  describeValue,
  didYouMean,
  formatPath,
  type Json,
  type JsonObject,
  quote,
} from '../../base';
import {
  problemAt,
  startOf,
  type Environment,
  type ValueOrigin,
  type Path,
  type Place,
  type Reading,
  type Source,
  type SpecProblem,
} from './places';

const deepest = 100;
/** The limit of values with every alias written out: a few kilobytes can mean billions of values. */
const mostNodes = 100_000;

const tags = ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(
  (name) => `tag:yaml.org,2002:${name}`,
);

const load = createRequire(__filename);

/** Loaded with the first spec: programs that define their agents in code never pay for it. */
export function yamlLibrary(): typeof Yaml {
  return load('yaml') as typeof Yaml;
}

/** The documents of a file that are not empty: YAML 1.2 without tags or merge keys, or strict JSON if the file's name ends in `.json`. */
export function parseText(file: string, text: string, reading: Reading): readonly Source[] {
  const { LineCounter, parseAllDocuments } = yamlLibrary();
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    prettyErrors: false,
    // The reader below checks this. The library would take time with the square of the keys.
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const documents: readonly Document.Parsed[] = Array.isArray(parsed) ? parsed : [];
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const end = text.trimEnd().length;
  const syntax = documents.flatMap((document) =>
    // A missing end is reported at the last character of the text.
    syntaxProblems(document, (offset) => placeOf(Math.min(offset, end))),
  );
  const problems = syntax.length > 0 ? syntax : jsonProblems(file, text);
  reading.problems.push(...problems);
  if (problems.length > 0) return [];
  return documents.flatMap(({ contents }) => {
    const isEmpty =
      contents === null || (yamlLibrary().isScalar(contents) && contents.source === '');
    return isEmpty ? [] : [new DocumentReader(placeOf, reading).read(contents)];
  });
}

/** The parser goes on after an error, but its further errors are mostly noise. */
function syntaxProblems(document: Document.Parsed, placeOf: (offset: number) => Place) {
  const found = [...document.errors.slice(0, 1), ...document.warnings];
  return found.map((error) => problemAt(placeOf(error.pos[0]), '', syntaxMessage(error)));
}

const syntaxMessages: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'has a tab as indentation: YAML takes spaces only',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  MULTIPLE_ANCHORS: 'has two anchors',
};

function syntaxMessage({ code, message }: YAMLError): string {
  if (code === 'TAG_RESOLVE_FAILED') return tagMessage(message.replace(/^Unresolved tag: /, ''));
  const hint = message.includes('flow-map-start')
    ? '; a value with ${…} within {} or [] must stand in quotes'
    : '';
  return syntaxMessages[code] ?? `is not valid YAML: ${message}${hint}`;
}

/** YAML accepts more than JSON: other tools could not read such a file. */
function jsonProblems(file: string, text: string): readonly SpecProblem[] {
  if (!/\.json$/i.test(file) || text.trim() === '') return [];
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    const { message } = error as Error;
    const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
    const place = { ...startOf(file), ...(line && { line: Number(line), column: Number(column) }) };
    return [problemAt(place, '', `is not valid JSON: ${message.replace(/ in JSON at .*$/, '')}`)];
  }
}

/** A value with all that is in it: how many values, and how deep they nest. */
type NodeExtent = { readonly size: number; readonly height: number };

type ReadValue = {
  readonly value: Json;
  readonly place: Place;
  readonly origin?: ValueOrigin;
} & NodeExtent;

const leaf: NodeExtent = { size: 1, height: 0 };

/** Reads one document of the core schema, and expands the environment in its texts. */
class DocumentReader {
  readonly #yaml = yamlLibrary();
  readonly #placeOf: (offset: number) => Place;
  readonly #reading: Reading;
  readonly #anchors = new Map<string, ReadValue | 'open'>();

  constructor(placeOf: (offset: number) => Place, reading: Reading) {
    this.#placeOf = placeOf;
    this.#reading = reading;
  }

  read(contents: Node): Source {
    const { value, place, origin } = this.#read(contents, []);
    return { value, mark: { value: place, key: place, written: '', origin } };
  }

  #read(node: Node | null, path: Path): ReadValue {
    const place = this.#placeOf(node?.range?.[0] ?? 0);
    if (node === null) return { ...leaf, value: null, place };
    if (this.#yaml.isAlias(node)) return this.#readAlias(node, path, place);
    const { anchor, tag } = node as { readonly anchor?: string; readonly tag?: string };
    if (tag !== undefined && !tags.includes(tag)) return this.#refuse(place, path, tagMessage(tag));
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    const read = this.#readNode(node, path, place);
    if (anchor !== undefined) this.#anchors.set(anchor, read);
    return read;
  }

  #readNode(node: Node, path: Path, place: Place): ReadValue {
    if (this.#yaml.isScalar(node)) return this.#readScalar(node, path, place);
    return this.#yaml.isSeq(node)
      ? this.#readList(node, path, place)
      : this.#readMap(node as YAMLMap, path, place);
  }

  #readAlias({ source }: Alias, path: Path, place: Place): ReadValue {
    const target = this.#anchors.get(source);
    if (target === undefined) {
      return this.#refuse(place, path, `refers to ${quote(source)}, which no anchor before it has`);
    }
    return target === 'open'
      ? this.#refuse(place, path, 'refers to what it stands in itself')
      : target;
  }

  #readScalar({ value, source }: Scalar, path: Path, place: Place): ReadValue {
    if (typeof value === 'string') return this.#readString(value, path, place);
    if (value === null || typeof value === 'boolean') return { ...leaf, value, place };
    if (typeof value !== 'number') {
      return this.#refuse(place, path, 'must be a text, a number, true, false or null');
    }
    return Number.isFinite(value)
      ? { ...leaf, value: value === 0 ? 0 : value, place }
      : this.#refuse(place, path, `must be a finite number, not ${source ?? String(value)}`);
  }

  #readString(source: string, path: Path, place: Place): ReadValue {
    const { text, isExpanded, problems } = expandEnvironment(source, this.#reading.env);
    const refused = problems.map((problem) => this.#refuse(place, path, problem));
    const read: ReadValue = {
      ...leaf,
      value: text,
      place,
      ...(isExpanded && { origin: 'environment' }),
    };
    return refused[0] ?? read;
  }

  #readList({ items }: YAMLSeq, path: Path, place: Place): ReadValue {
    const read = items.map((item, index) => this.#read(item as Node | null, [...path, index]));
    const value = read.map((item) => item.value);
    read.forEach((item, index) => this.#mark(value, index, { key: item.place, read: item }));
    return this.#sized({ value, place }, read);
  }

  #readMap(map: YAMLMap, path: Path, place: Place): ReadValue {
    const value: JsonObject = {};
    const read: ReadValue[] = [];
    for (const pair of map.items as Pair<Node | null, Node | null>[]) {
      const key = this.#placeOf(pair.key?.range?.[0] ?? map.range?.[0] ?? 0);
      const name = this.#keyName(pair.key, key, path);
      if (name === undefined) {
        this.#reading.places.markPartial(value);
        continue;
      }
      const inside = [...path, name];
      const message =
        this.#keyMessage(pair.key, name) ??
        duplicateMessage(this.#reading.places.markOf(value, name)?.key);
      const none: ReadValue = { ...leaf, value: null, place: key };
      const member = pair.value === null ? none : this.#read(pair.value, inside);
      if (message === undefined) {
        value[name] = member.value;
        read.push(member);
        this.#mark(value, name, { key, read: member });
      } else {
        this.#refuse(key, inside, message);
        this.#reading.places.markPartial(value);
      }
    }
    return this.#sized({ value, place }, read);
  }

  #keyName(node: Node | null, place: Place, path: Path): string | undefined {
    const value = this.#yaml.isScalar(node) ? node.value : undefined;
    if (typeof value === 'string') return value;
    const hint = value === undefined ? '' : `, not ${describeValue(value)}: put it in quotes`;
    this.#refuse(place, path, `must have keys that are text${hint}`);
    return undefined;
  }

  #keyMessage(node: Node | null, name: string): string | undefined {
    if (name === '__proto__') return 'is not allowed as a key';
    const isPlain = this.#yaml.isScalar(node) && node.type === 'PLAIN';
    if (name !== '<<' || !isPlain) return undefined;
    return 'is a merge key: YAML 1.2 has none, write the fields out';
  }

  #mark(
    container: object,
    key: string | number,
    { key: place, read }: { key: Place; read: ReadValue },
  ) {
    const { origin, place: value } = read;
    this.#reading.places.mark(container, key, { value, key: place, written: key, origin });
  }

  #sized(read: Pick<ReadValue, 'value' | 'place'>, members: readonly NodeExtent[]): ReadValue {
    const size = members.reduce((sum, member) => sum + member.size, 1);
    const height = members.reduce((most, member) => Math.max(most, member.height), 0) + 1;
    const message = tooMuch(size, height);
    return message === undefined
      ? { ...read, size, height }
      : this.#refuse(read.place, [], message);
  }

  #refuse(place: Place, path: Path, message: string): ReadValue {
    this.#reading.reportAt(place, formatPath(path), message);
    return { ...leaf, value: null, place, origin: 'refused' };
  }
}

function tagMessage(tag: string): string {
  return `has the tag ${quote(tag)}, which is not allowed: write plain values`;
}

function tooMuch(size: number, height: number): string | undefined {
  const most = mostNodes.toLocaleString('en');
  if (size > mostNodes) return `has more than ${most} values with its aliases written out`;
  return height > deepest ? `is nested more than ${deepest} levels deep` : undefined;
}

function duplicateMessage(first: Place | undefined): string | undefined {
  return first && `stands here a second time: first at line ${first.line}, column ${first.column}`;
}

// References to variables of the environment.

export type Expanded = {
  readonly text: string;
  /** Part of the text came from the environment. */
  readonly isExpanded: boolean;
  readonly problems: readonly string[];
};

/** One more `$` keeps a reference as it is: `$${env:NAME}` is the text `${env:NAME}`. */
const reference = /(?<!\$)\$(\$+)\{env:|\$\{env:([^}]*)(\}?)/g;
const wellFormed = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
const secret = /key|token|secret|password/i;

/** Replaces `${env:NAME}` and `${env:NAME:-default}`. */
export function expandEnvironment(source: string, env: Environment): Expanded {
  let isExpanded = false;
  const problems: string[] = [];
  const text = source.replace(reference, (whole, ...groups: (string | undefined)[]) => {
    const [escaped, body = '', end = ''] = groups;
    if (escaped !== undefined) return whole.slice(1);
    isExpanded = true;
    const found = end === '' ? unclosed(whole) : lookUp(body, env);
    if ('problem' in found) problems.push(found.problem);
    return 'text' in found ? found.text : '';
  });
  return { text, isExpanded, problems };
}

/** Doubles every `$` that would start a reference. */
export function escapeEnvironment(text: string): string {
  return text.replace(/\$+\{env:/g, (start) => `$${start}`);
}

type EnvValue = { readonly text: string } | { readonly problem: string };

function lookUp(body: string, env: Environment): EnvValue {
  const [, name, fallback] = wellFormed.exec(body) ?? [];
  if (name === undefined || fallback?.includes('${') === true) return malformed(body);
  if (secret.test(name)) {
    return {
      problem: `must not use the variable ${name}: the history of a run keeps the spec, and no secret belongs there. Give it to the worker, in the configuration of its providers, tools or MCP servers`,
    };
  }
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && (value !== '' || fallback === undefined)) return { text: value };
  if (fallback !== undefined) return { text: fallback };
  const near = didYouMean(
    name,
    Object.keys(env).filter((other) => !secret.test(other)),
  );
  return {
    problem: `needs the environment variable ${name}, which is not set${near}${near === '' ? '; ' : ' Or '}give a default as in \${env:${name}:-default}`,
  };
}

function malformed(body: string): EnvValue {
  const problem = `has a reference to the environment that cannot be read, ${quote(`\${env:${body}}`)}: write \${env:NAME} or \${env:NAME:-default}`;
  return { problem };
}

function unclosed(whole: string): EnvValue {
  return {
    problem: `has a reference to the environment without its closing brace, ${quote(whole)}`,
  };
}
