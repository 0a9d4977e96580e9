import type { z } from 'zod';
import type { Json } from '../../base/json';
import type { Problem } from '../../base/problem';
import { schemaProblems } from '../problems/from-zod';
import { isFreeForm } from './names';
import { parsePath, type At } from './places';
import type { Reading } from './source';

/** Reports what is wrong with the value at a place. Text from the environment may stand for a number, for true or false. */
export function check(schema: z.ZodType, at: At, reading: Reading): readonly string[] {
  const { places } = reading;
  const { value } = places.find(at);
  let wrong = schemaProblems(schema, value);
  if (convertTexts(wrong, at, reading)) wrong = schemaProblems(schema, value);
  // A field that is null is left out, but a field that is not known is refused.
  const withNulls = value === undefined ? [] : schemaProblems(schema, places.withNulls(value));
  const problems = [...wrong, ...withNulls.filter(({ of }) => of === 'key')];
  for (const { path, ...problem } of problems) {
    const inside = { ...at, path: [...at.path, ...parsePath(path)] };
    reading.problems.push(...places.locate(inside, problem));
  }
  return problems.map(({ path }) => path);
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
