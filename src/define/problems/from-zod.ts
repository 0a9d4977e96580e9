import { z } from 'zod';
import { describeValue, didYouMean, formatPath, joinPath, type Problem, quote } from '../../base';

// Turns issues of zod into problems: a path, and a sentence that follows it. Only this file does that.

/** `key`: the field is not known, for any value. `type`: the type of the value is wrong, for any content. Absent for a broken rule. */
export type SchemaProblem = Problem & { readonly of?: 'key' | 'type' };

export type Parsed<Value, Found = Problem> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Found[] };

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;
type ZodPath = readonly PropertyKey[];

/** Specs come from outside: a thousand wrong keys must not cost a thousand searches. */
const mostUnknown = 50;

/** The value as the schema makes it, or everything that is wrong with it. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Parsed<z.output<Schema>> {
  const parsed = parseByKind(schema, value);
  if (parsed.ok) return parsed;
  return { ok: false, problems: parsed.problems.map(({ path, message }) => ({ path, message })) };
}

/** The same, with the kind of each problem. */
export function parseByKind<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Parsed<z.output<Schema>, SchemaProblem> {
  const parsed = schema.safeParse(value, { error: messageOf, reportInput: true });
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, problems: problemsOf(parsed.error.issues, []) };
}

/** A rule across fields, for `superRefine`. It is checked after the fields are right by themselves. */
export function rule<Value>(find: (value: Value) => readonly Problem[]) {
  return (value: Value, context: z.core.$RefinementCtx): void => {
    if (context.issues.length > 0) return;
    for (const { path, message } of find(value)) {
      context.addIssue({ code: 'custom', message, params: { at: path } });
    }
  };
}

function problemsOf(issues: readonly Issue[], parent: ZodPath): SchemaProblem[] {
  return issues.flatMap((issue) => {
    const path = [...parent, ...issue.path];
    if (issue.code === 'invalid_union') {
      const meant = meantAlternative(issue);
      if (meant !== undefined) return problemsOf(meant, path);
    }
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n');
      return issue.keys.slice(0, mostUnknown).map((key, index) => {
        return { path: textOf([...path, key]), message: messages[index] ?? '', of: 'key' };
      });
    }
    const inside: unknown = issue.code === 'custom' ? issue.params?.at : undefined;
    const at = typeof inside === 'string' ? joinPath(textOf(path), inside) : textOf(path);
    const { message } = issue;
    return [
      issue.code === 'invalid_type' ? { path: at, message, of: 'type' } : { path: at, message },
    ];
  });
}

/** The alternative of a union that a value was meant to be: the only one of its shape. */
function meantAlternative(issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] | undefined {
  const shaped = issue.errors.filter((issues) => issues.every(({ path }) => path.length > 0));
  const unknownOnly = issue.errors.filter((issues) =>
    issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  return shaped.length === 1 ? shaped[0] : unknownOnly.length === 1 ? unknownOnly[0] : undefined;
}

function textOf(path: ZodPath): string {
  return formatPath(path.map((key) => (typeof key === 'number' ? key : String(key))));
}

function messageOf(issue: RawIssue): string {
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue);
  if (issue.origin === 'array' && issue.code === 'too_small') return 'must not be empty';
  if (issue.origin === 'array' && issue.code === 'too_big') {
    return `must have at most ${String(issue.maximum)} items`;
  }
  const value = valueOf(issue);
  const isMember = typeof issue.path?.at(-1) !== 'number';
  if (value === undefined && isMember) return `is required: ${expectation(issue)}`;
  return `must be ${expectation(issue)}, not ${describeValue(value)}${hint(value, issue)}`;
}

/** The wrong value. In a union with a discriminator, it is the discriminator's value. */
function valueOf(issue: RawIssue): unknown {
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return issue.input;
  return (issue.input as Readonly<Record<string, unknown>>)[issue.discriminator];
}

function unknownKeys({
  keys,
  inst,
}: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>): string {
  const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
  return keys
    .slice(0, mostUnknown)
    .map((key) => `is not known${didYouMean(key, known)}`)
    .join('\n');
}

function hint(value: unknown, issue: RawIssue): string {
  const choices = choicesOf(issue)?.filter((choice) => typeof choice === 'string') ?? [];
  return typeof value === 'string' ? didYouMean(value, choices) : '';
}

function choicesOf(issue: RawIssue): readonly unknown[] | undefined {
  if (issue.code === 'invalid_value') return issue.values;
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return undefined;
  return issue.options as readonly unknown[];
}

/** What belongs there: `expected` in the schema's meta data, or else a text from its kind and bounds. */
function expectation(issue: RawIssue): string {
  const schema = issue.schema ?? issue.inst;
  if (!(schema instanceof z.ZodType)) return 'something else';
  const said = expectedBy(schema);
  if (said !== undefined) return said;
  const choices = choicesOf(issue);
  return choices === undefined ? kindOf(schema.def, issue.code) : oneOf(choices);
}

/** The same of a field without a value, for the tables of the docs. */
export function expectationOf(schema: z.ZodType): string {
  const said = expectedBy(schema);
  if (said !== undefined) return said;
  if (schema instanceof z.ZodPipe) return expectationOf(schema.in as z.ZodType);
  if (schema instanceof z.ZodEnum) return oneOf(schema.options);
  if (schema instanceof z.ZodLiteral) return oneOf([...schema.values]);
  return kindOf(schema.def, 'custom');
}

function expectedBy(schema: z.ZodType): string | undefined {
  const said = schema.meta()?.expected;
  return typeof said === 'string' ? said : undefined;
}

function kindOf(def: z.core.$ZodTypeDef, code: RawIssue['code']): string {
  if (def.type === 'number') return numberOf(def);
  if (def.type === 'string' && code === 'too_small') return 'a text that is not empty';
  return kinds[def.type] ?? 'something else';
}

function numberOf(def: z.core.$ZodTypeDef): string {
  const kind = 'format' in def ? 'a whole number' : 'a number';
  return kind + rangeOf(def.checks ?? []);
}

type Bound = { readonly check: string; readonly value?: unknown; readonly inclusive?: boolean };

function rangeOf(checks: readonly z.core.$ZodCheck[]): string {
  const bounds: readonly Bound[] = checks.map(({ _zod }) => _zod.def);
  const least = bounds.find(({ check }) => check === 'greater_than');
  const most = bounds.find(({ check }) => check === 'less_than');
  if (least === undefined) return '';
  if (least.inclusive !== true) return ` of more than ${String(least.value)}`;
  if (most === undefined) return ` of at least ${String(least.value)}`;
  return ` from ${String(least.value)} to ${String(most.value)}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  union: 'an object',
};

function oneOf(choices: readonly unknown[]): string {
  return choices.length === 1 ? show(choices[0]) : `one of ${choices.map(show).join(', ')}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? quote(value) : String(value);
}
