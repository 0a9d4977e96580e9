import { isJsonObject, type Json, type JsonSchema } from '../protocol/json';
import { toRegExp } from './pattern/bounded-pattern';
import { isSafePattern } from './pattern/is-safe-pattern';
import { formatPath, quote, type Problem } from './problem';

type Path = readonly (string | number)[];
type Pattern = { readonly pattern: string; readonly path: Path };

const mostPatterns = 100;

/** Keywords whose value is data, not schemas: a `pattern` in there is only a word. */
const dataKeywords = ['const', 'enum', 'default', 'examples'];

/** Keywords whose members' names are the user's, not keywords. */
const namedSchemas = ['properties', '$defs', 'definitions', 'dependentSchemas'];

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
  if (Array.isArray(schema)) {
    return schema.flatMap((item, index) => patternsOf(item, [...path, index]));
  }
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const place = [...path, keyword];
    if (dataKeywords.includes(keyword)) return [];
    if (keyword === 'pattern' && typeof value === 'string')
      return [{ pattern: value, path: place }];
    if (keyword === 'patternProperties' && isJsonObject(value)) {
      const own = Object.keys(value).map((pattern) => ({ pattern, path: [...place, pattern] }));
      return [...own, ...membersOf(value, place)];
    }
    const isNamed = namedSchemas.includes(keyword) && isJsonObject(value);
    return isNamed ? membersOf(value, place) : patternsOf(value, place);
  });
}

function membersOf(schemas: JsonSchema, path: Path): Pattern[] {
  return Object.entries(schemas).flatMap(([name, schema]) => patternsOf(schema, [...path, name]));
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
