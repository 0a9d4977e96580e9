// The regular expressions of users' schemas. They run on RE2, in time proportional to the text, and therefore without look-around
// and back-references. JavaScript's own can take for ever on some texts.

import { createRequire } from 'node:module';
import type { CodeOptions } from 'ajv';
import type { RE2JS } from 're2js';
import type { Json } from '../../base/json';
import { errorText, formatPath, quote, type Problem } from '../../base/problem';

const load = createRequire(__filename);

/** The patterns of one schema. */
export class Patterns {
  readonly problems: Problem[] = [];
  readonly #schema: Json;
  readonly #compiled = new Map<string, RE2JS>();

  constructor(schema: Json) {
    this.#schema = schema;
  }

  /** Called by the validator for each pattern when it compiles the schema. */
  readonly regExp: NonNullable<CodeOptions['regExp']> = Object.assign(
    (pattern: string) => {
      const message = faultOf(pattern);
      if (message !== undefined) {
        const path = formatPath(placeOf(pattern, this.#schema) ?? []);
        this.problems.push({ path, message: `${message}: ${quote(pattern)}` });
      }
      return {
        test: (text: string) => this.#compile(pattern).test(text),
        toString: () => pattern,
      };
    },
    { code: 'new RegExp' },
  );

  /** Frees what grew with the texts, and drops a machine that was stopped in the middle of one. */
  forget(): void {
    this.#compiled.clear();
  }

  #compile(pattern: string): RE2JS {
    const compiled = this.#compiled.get(pattern) ?? toLinear(pattern);
    this.#compiled.set(pattern, compiled);
    return compiled;
  }
}

/** Most schemas have no pattern and do not load it. It must not be loaded within a bounded time: what is stopped there stays half loaded. */
export function loadPatternEngine(): typeof RE2JS {
  return (load('re2js') as { readonly RE2JS: typeof RE2JS }).RE2JS;
}

function toLinear(pattern: string): RE2JS {
  const engine = loadPatternEngine();
  return engine.compile(engine.translateRegExp(pattern));
}

function faultOf(pattern: string): string | undefined {
  if (!isRegExp(pattern)) return 'is not a regular expression';
  const feature = unsupportedFeature(pattern);
  return (
    feature && `uses ${feature}, which RE2 does not support; write it without, or check it in code`
  );
}

/** JSON Schema asks for Unicode mode; patterns written for other engines often need the lenient one. */
function isRegExp(pattern: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return Boolean(new RegExp(pattern, flags));
    } catch {
      return false;
    }
  });
}

function unsupportedFeature(pattern: string): string | undefined {
  // The engine would take the named ones for text.
  if (/^(?:[^\\]|\\[^1-9k])*\\(?:[1-9]|k<)/.test(pattern)) return 'a back-reference';
  try {
    toLinear(pattern);
    return undefined;
  } catch (error) {
    if (usesLookAround(pattern)) return 'look-ahead or look-behind';
    const message = errorText(error);
    return message.includes('repeat count') ? 'more than 1,000 repetitions' : `syntax (${message})`;
  }
}

export function usesLookAround(pattern: Json | undefined): boolean {
  return typeof pattern === 'string' && /\(\?<?[=!]/.test(pattern);
}

function placeOf(pattern: string, value: Json): (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    if (name === pattern || (name === 'pattern' && member === pattern)) return [key];
    const inside = placeOf(pattern, member);
    if (inside !== undefined) return [key, ...inside];
  }
  return undefined;
}
