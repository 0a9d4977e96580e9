import { posix } from 'node:path';
import { z } from 'zod';
import { activityToolOptions } from '../../../src/define/activity-tool';
import { agentOptions } from '../../../src/define/agent';
import { otherKindsOf, otherSpellings } from '../../../src/define/files/names';
import {
  graphOptions,
  parallelOptions,
  sequentialOptions,
} from '../../../src/define/orchestrations';
import { expectationOf } from '../../../src/define/problems/from-zod';
import { documentFile, promptFile, runnerFiles, toolFile } from '../../../src/define/schema/file';
import { toolOptions } from '../../../src/define/tool';
import type { Page } from './markdown';

// The tables of options and of fields in the docs, made of the schemas that check them.

const code: Readonly<Record<string, z.ZodType>> = {
  agent: agentOptions,
  sequential: sequentialOptions,
  parallel: parallelOptions,
  graph: graphOptions,
  tool: toolOptions,
  'activity tool': activityToolOptions,
};

const files: Readonly<Record<string, z.ZodType>> = {
  ...runnerFiles,
  document: documentFile,
  prompt: promptFile,
  tool: toolFile,
};

type Row = {
  readonly path: string;
  /** Other words than its own, as the page says that each may be in snake_case. */ readonly spellings: readonly string[];
  readonly takes: readonly string[];
  readonly byDefault: string;
  readonly meaning: string;
  readonly see: string | undefined;
};

/** The page with its tables made anew: each stands between `<!-- options of agent -->` and `<!-- end -->`. */
export function withTables({ path, text }: Page): string {
  const place =
    /(<!-- (options|fields) of ([a-z ]+?)(?: but ([a-z ]+))? -->\n)[\s\S]*?(<!-- end -->)/g;
  return text.replace(place, (_, start: string, kind: string, name: string, ...rest) => {
    const [other, end] = rest as [string | undefined, string];
    const schema = kind === 'options' ? code[name] : files[name];
    if (schema === undefined) throw new TypeError(`no schema is named '${name}'`);
    const isFile = kind === 'fields';
    const rows = isFile ? fieldsBut(other, schema) : optionsBut(other, schema);
    return `${start}${tableOf(rows, { page: path, isFile })}${end}`;
  });
}

function optionsBut(other: string | undefined, schema: z.ZodType): readonly Row[] {
  const known = new Set(other === undefined ? [] : Object.keys(shapeOf(code[other])));
  return rowsOf(schema).filter((row) => !known.has(row.path.split(/[.[]/, 1)[0] ?? ''));
}

/** Without the fields that are the same in code, where another page lists them. */
function fieldsBut(others: string | undefined, schema: z.ZodType): readonly Row[] {
  const textOf = (row: Row) =>
    [row.path.replace('tools[].', ''), row.byDefault, row.meaning, ...row.takes].join();
  const known = (others?.split(' and ') ?? []).flatMap((other) =>
    rowsOf(code[other] ?? z.never()).map(textOf),
  );
  return rowsOf(schema).filter((row) => row.spellings.length > 0 || !known.includes(textOf(row)));
}

function shapeOf(schema: z.ZodType | undefined): z.core.$ZodShape {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

/** Every field of an object, and of the objects in it; not of the runners in it. */
function rowsOf(schema: z.ZodType, parent = ''): readonly Row[] {
  if (schema.meta()?.id === 'runner') return [];
  if (schema instanceof z.ZodArray) return rowsOf(schema.element as z.ZodType, `${parent}[]`);
  if (schema instanceof z.ZodPipe) return rowsOf(schema.out as z.ZodType, parent);
  if (schema instanceof z.ZodUnion) return rowsOfUnion(schema.options as z.ZodType[], parent);
  const shape = shapeOf(schema);
  const known = (name: string) => Object.hasOwn(shape, name);
  return Object.entries(shape).flatMap(([name, member]) => {
    const { field, isOptional } = unwrapped(member as z.ZodType);
    const { description, byDefault, see } = field.meta() ?? {};
    // What has no help is there to be refused.
    if (description === undefined) return [];
    const path = parent === '' ? name : `${parent}.${name}`;
    const row: Row = {
      path,
      spellings: otherSpellings(name, known).filter((other) => !isSnakeCase(other, name)),
      takes: [expectationOf(field)],
      byDefault: isOptional ? ((byDefault as string | undefined) ?? '–') : 'required',
      meaning: description,
      see: see as string | undefined,
    };
    // docs/agents.md#options says once what a model is.
    return row.takes[0]?.startsWith("'provider/model'") ? [row] : [row, ...rowsOf(field, path)];
  });
}

function isSnakeCase(spelling: string, name: string): boolean {
  return spelling.replaceAll('_', '') === name.toLowerCase();
}

/** One row of a field that several alternatives have. A field that only some kinds have says so. */
function rowsOfUnion(options: readonly z.ZodType[], parent: string): readonly Row[] {
  const rows = new Map<string, Row & { readonly kinds: readonly string[] }>();
  for (const option of options) {
    const { kind } = shapeOf(option);
    const kinds = kind instanceof z.ZodLiteral ? [...kind.values].map(String) : [];
    for (const row of rowsOf(option, parent)) {
      const earlier = rows.get(row.path);
      const takes = [...new Set([...(earlier?.takes ?? []), ...row.takes])];
      rows.set(row.path, { ...row, takes, kinds: [...(earlier?.kinds ?? []), ...kinds] });
    }
  }
  return [...rows.values()].map(({ kinds, ...row }) => {
    if (kinds.length === 0 || kinds.length === options.length) return row;
    return { ...row, meaning: `With ${kinds.map(inCode).join(' and ')}: ${lowered(row.meaning)}` };
  });
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function unwrapped(schema: z.ZodType): { readonly field: z.ZodType; readonly isOptional: boolean } {
  const { def } = schema as unknown as { readonly def: { type: string; innerType: z.ZodType } };
  return def.type === 'optional'
    ? { ...unwrapped(def.innerType), isOptional: true }
    : { field: schema, isOptional: false };
}

type Standing = { readonly page: string; readonly isFile: boolean };

function tableOf(rows: readonly Row[], standing: Standing): string {
  const heads = [standing.isFile ? 'field' : 'option', 'takes', 'default', 'meaning'];
  const lines = rows.map((row) => {
    const others = standing.isFile ? row.spellings.map(inCode) : [];
    const names = [nameOf(row, standing), ...others].join(' or ');
    return [names, takesOf(row, standing), row.byDefault, row.meaning];
  });
  return [lineOf(heads), `|${heads.map(() => '---|').join('')}\n`, ...lines.map(lineOf)].join('');
}

function lineOf(cells: readonly string[]): string {
  return `|${cells.join('|')}|\n`;
}

function inCode(text: string): string {
  return `\`${text}\``;
}

/** What errors spell out and `docs/agents.md#options` explains once. */
const shorter: readonly (readonly [RegExp, string])[] = [
  [/1 to 100 letters.*?with a letter or digit/, 'an id'],
  [/a duration such as.*?or milliseconds/, 'a duration'],
  [/a size such as.*?number of bytes/, 'a size'],
  [/'provider\/model'.*?\{provider, model\}/, 'a model'],
  [/a Standard Schema or a JSON Schema/, 'a schema'],
  [/true or false/, 'a boolean'],
  [/a list of (.*?) different names/, '$1 names'],
  [/a whole number of at least (\d+)/, 'a whole number ≥ $1'],
  [/a number of at least (\d+)/, 'a number ≥ $1'],
  [/^one of /, ''],
  [/^an? /, ''],
];

function shortened(text: string): string {
  return shorter.reduce((short, [long, name]) => short.replace(long, name), text);
}

/** Quotes are for code only: YAML does without. */
function takesOf({ path, takes }: Row, { isFile }: Standing): string {
  const kinds = (isFile && path.endsWith('kind') ? takes.flatMap(kindsOf) : takes).map(shortened);
  const codes = /\{[^}]*\}|\([^)]*\) => \w+|(?<!\w)'[^']+'|\b(?:true|false)\b/g;
  return kinds
    .join(', ')
    .replaceAll(codes, (text) => inCode(isFile && text.startsWith("'") ? text.slice(1, -1) : text));
}

function kindsOf(quoted: string): readonly string[] {
  return [quoted, ...otherKindsOf(quoted.slice(1, -1)).map((kind) => `'${kind}'`)];
}

/** The option, as a link to where the docs say more of it. */
function nameOf({ path, see }: Row, { page }: Standing): string {
  if (see === undefined) return inCode(path);
  const [file = '', section] = see.split('#');
  const isHere = posix.basename(page) === file;
  if (isHere && section === undefined) return inCode(path);
  return `[${inCode(path)}](${isHere ? `#${section}` : see})`;
}
