import type { Json } from '../base/json';
import type { SchemaCheck } from './compile-schema';
import { formatPath, type Problem } from '../base/problem';
import type { StandardIssue, StandardSchema } from './standard-schema';
import type { ArgumentsCheck } from '../define/tool';
import { checkMilliseconds, TookTooLong, tooLongToCheck, withinTime } from './within-time';

export type ValidateArguments = (args: Json) => Promise<ArgumentsCheck>;

export function validateWithJsonSchema(check: SchemaCheck): ValidateArguments {
  return async (args) => {
    const problems = check(args);
    return problems.length === 0 ? { ok: true, value: args } : { ok: false, problems };
  };
}

/**
 * The value is what the schema makes of the arguments: defaults filled in, transforms applied. What it does before it first waits for
 * something has the time that a JSON Schema has: a pattern that tries many ways stops the worker else.
 */
export function validateWithStandardSchema(schema: StandardSchema): ValidateArguments {
  return async (args) => {
    try {
      const result = await withinTime(checkMilliseconds, () => schema['~standard'].validate(args));
      if (result.issues !== undefined) {
        return { ok: false, problems: result.issues.map(toProblem) };
      }
      return { ok: true, value: result.value };
    } catch (error) {
      const message = error instanceof TookTooLong ? tooLongToCheck : messageOf(error);
      return { ok: false, problems: [{ path: '', message }] };
    }
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function toProblem({ path = [], message }: StandardIssue): Problem {
  const segments = path.map((segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'number' ? key : String(key);
  });
  return { path: formatPath(segments), message };
}
