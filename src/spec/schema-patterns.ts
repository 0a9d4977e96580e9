import { isJsonObject, type Json, type JsonSchema } from '../base/json';
import { isSafePattern } from './pattern/is-safe-pattern';
import { toRegExp } from './pattern/to-reg-exp';
import { formatPath, quote, type Problem } from '../base/problem';
import { partsOf } from './schema-walk';

type Path = readonly (string | number)[];
type Pattern = { readonly pattern: string; readonly path: Path };

const mostPatterns = 100;

/** The regular expressions of a schema that are no regular expressions, or that an adversarial text could hang. */
export function patternProblems(schema: JsonSchema): Problem[] {
  const patterns = patternsOf(schema, []);
  if (patterns.length > mostPatterns) {
    return [{ path: '', message: `has more than ${mostPatterns} patterns` }];
  }
  return patterns.flatMap(({ pattern, path }) => {
    const message = patternMessage(pattern);
    return message === undefined ? [] : [{ path: formatPath(path), message }];
  });
}

function patternsOf(schema: Json, path: Path): Pattern[] {
  if (!isJsonObject(schema)) return [];
  const { pattern, patternProperties } = schema;
  const named = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  return [
    ...(typeof pattern === 'string' ? [{ pattern, path: [...path, 'pattern'] }] : []),
    ...named.map((name) => ({ pattern: name, path: [...path, 'patternProperties', name] })),
    ...partsOf(schema).flatMap((part) => patternsOf(part.schema, [...path, ...part.path])),
  ];
}

function patternMessage(pattern: string): string | undefined {
  try {
    toRegExp(pattern);
  } catch {
    return `is not a regular expression: ${quote(pattern)}`;
  }
  if (isSafePattern(pattern)) return undefined;
  return `could take for ever on some texts: ${quote(pattern)}; write it without repetitions inside repetitions that can match the same text`;
}
