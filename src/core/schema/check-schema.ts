// Checks a value against a JSON Schema that anybody may have written: a model, or a client. It interprets the schema, so that it runs in
// workflows too. Pure.
//
// 1. Each step counts, and so does each character that a pattern looks at. A check over the limit ends, and the value is refused.
// 2. It checks every keyword of draft 2020-12 that says what a value must be, except those that `schemaProblem` refuses. It knows the
//    forms of draft-07, too. `format` is checked for the formats below; any other is a hint.
// 3. An update that was accepted is not checked again when its run replays.

import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../base/json';
import { formatPath, type Path, type Problem } from '../../base/problem';
import { limits } from '../../protocol/limits';
import { arrayRules, objectRules } from './member-rules';
import { compilePattern, type Pattern } from './pattern';
import { pointedAt } from './pointer';
import type { At, Check, Found, Rule, Rules } from './rules';
import { anyRules, collected, mostProblems, nothing, numberRules, textRules } from './value-rules';

/** Schemas within schemas, on the way to one place of a value. */
const deepest = 100;

class TooMuch extends Error {}

/** What is wrong with a value, at most ten problems. The schema has no `schemaProblem`. */
export function checkAgainst(schema: JsonSchema, value: Json): readonly Problem[] {
  try {
    const found = new SchemaCheck(schema).at(schema, value, []);
    return found
      .slice(0, mostProblems)
      .map(({ path, message }) => ({ path: formatPath(path), message: message() }));
  } catch (error) {
    if (error instanceof TooMuch) return [{ path: '', message: error.message }];
    throw error;
  }
}

class SchemaCheck implements Check {
  readonly #root: JsonSchema;
  readonly #targets = new Map<string, Json | undefined>();
  readonly #patterns = new Map<string, Pattern | undefined>();
  #steps = 0;
  #depth = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  at(schema: Json | undefined, value: Json, path: Path): readonly Found[] {
    this.spend(1);
    if (schema === false) return [{ path, message: () => 'is not allowed' }];
    if (!isJsonObject(schema)) return [];
    this.#depth += 1;
    if (this.#depth > deepest) throw new TooMuch('is nested too deeply to check');
    const at: At = { check: this, schema, value, path };
    const rules = rulesFor(value);
    const found = collected(Object.keys(schema), (keyword) => {
      this.spend(1);
      const rule = ruleOf(anyRules, keyword) ?? ruleOf(rules, keyword);
      return rule?.(schema[keyword] as Json, at) ?? nothing;
    });
    this.#depth -= 1;
    return found;
  }

  readonly spend = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps > limits.schemaSteps)
      throw new TooMuch('takes too many steps to check: send a smaller or simpler value');
  };

  spendOn(text: string): void {
    this.spend(Math.ceil(text.length / 4));
  }

  /** Read once: a pointer may be as long as the schema. */
  pointedAt(pointer: string): Json | undefined {
    if (!this.#targets.has(pointer)) this.#targets.set(pointer, pointedAt(this.#root, pointer));
    return this.#targets.get(pointer);
  }

  matches(source: string, text: string): boolean {
    if (!this.#patterns.has(source)) {
      this.spend(10 * source.length);
      const compiled = compilePattern(source);
      this.#patterns.set(source, compiled.ok ? compiled.pattern : undefined);
    }
    return this.#patterns.get(source)?.isIn(text, this.spend) ?? true;
  }

  isSame(left: Json, right: Json): boolean {
    this.spend(1);
    if (left === right) return true;
    if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every(
        (key) =>
          Object.hasOwn(right, key) &&
          this.isSame((left as JsonObject)[key] as Json, (right as JsonObject)[key] as Json),
      )
    );
  }
}

const ruleOf = (rules: Rules, keyword: string): Rule | undefined =>
  Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;

function rulesFor(value: Json): Rules {
  if (typeof value === 'number') return numberRules;
  if (typeof value === 'string') return textRules;
  if (Array.isArray(value)) return arrayRules;
  return isJsonObject(value) ? objectRules : {};
}
