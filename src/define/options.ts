import type { z } from 'zod';
import { describeValue, isPlainObject, joinPath, type Problem } from '../base';
import { toPlainJson } from './plain-json';
import { parse } from './problems/from-zod';
import { specError } from './problems/problem';

type OptionsOf = {
  /** The owner of the options, such as `Agent 'weather'`. */
  readonly subject: string;
  /** Options that are not data: functions, definitions, schemas. The others are copied as JSON. */
  readonly code?: readonly string[];
};

/** The options of a definition as its schema makes them. Options that are `undefined` count as absent. Throws `SpecError` with all that is wrong. */
export function parseOptions<Schema extends z.ZodObject>(
  schema: Schema,
  options: unknown,
  { subject, code = [] }: OptionsOf,
): z.output<Schema> {
  if (!isPlainObject(options)) {
    const message = `must be a plain object of options, not ${describeValue(options)}`;
    throw specError(subject, [{ path: '', message }]);
  }
  const isData = (name: string): boolean => name in schema.shape && !code.includes(name);
  const given: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const plain = isData(name) ? toPlainJson(value) : { ok: true as const, value };
    if (plain.ok) given[name] = plain.value;
    else problems.push({ ...plain.problem, path: joinPath(name, plain.problem.path) });
  }
  const parsed = parse(schema, given);
  if (parsed.ok && problems.length === 0) return parsed.value;
  const unread = new Set(problems.map(({ path }) => optionOf(path)));
  const found = parsed.ok ? [] : parsed.problems.filter(({ path }) => !unread.has(optionOf(path)));
  throw specError(subject, [...problems, ...found]);
}

/** Throws the problems of options that are right by themselves. */
export function refuseProblems(subject: string, problems: readonly Problem[]): void {
  if (problems.length > 0) throw specError(subject, problems);
}

/** The option a path begins with. */
function optionOf(path: string): string {
  return path.split(/[.[ ]/, 1)[0] ?? '';
}

/** A member of options, such as their name, for the start of a message. The options may be wrong in every way. */
export function saidBy(options: unknown, name: string): unknown {
  return isPlainObject(options) ? options[name] : undefined;
}
