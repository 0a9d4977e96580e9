// Checks a value against a JSON Schema that anybody may have written: a model, a client, or an MCP server. It interprets the schema, so
// that it runs in workflows too, and needs no clock. Pure.
//
// 1. Each step counts, and so does each character that a pattern looks at. A step takes about 25 ns of a core. A check over its limit ends,
//    and the value is refused. So the same value has the same fate on every machine.
// 2. It checks every keyword of draft 2020-12 that limits values, except those that `schema-problem.ts` refuses. It knows the forms of
//    draft-07, too. `format` is checked for the formats in `formats.ts`; any other is a hint.
// 3. It never throws, for any schema and any value. A part of a schema that it cannot read refuses nothing.
// 4. An update that was accepted is not checked again when its run replays.

import { isJsonObject, type Json, type JsonObject, type Problem } from '../../base';
import { limits } from '../../protocol/limits';
import { answerFormats, type Formats, isOfFormat, toolFormats } from './formats';
import { arrayRules, objectRules } from './member-rules';
import { compilePattern, type Pattern } from './pattern';
import { References } from './references';
import { type At, type Check, type Found, nothing, pathOf, type Place } from './rules';
import type { Rule, Rules } from './rules';
import { anyRules, numberRules, textRules } from './value-rules';

/** Schemas within schemas, on the way to one place of a value. */
const deepest = 500;
const mostProblems = 10;

/** The code that takes a schema has checked its patterns with narrower bounds. */
const patternBounds = { characters: 4_000, steps: 10_000 };

const tooMuch = 'takes too many steps to check: send a smaller or simpler value';
const tooDeep = 'is nested too deeply to check';

class Ended extends Error {}

type CheckBounds = { readonly steps: number; readonly formats: Formats };

/** For arguments, results and outputs. Activities check them. */
export const forTools: CheckBounds = { steps: limits.argumentSteps, formats: toolFormats };
/** For answers of people. Workflows check them. */
export const forAnswers: CheckBounds = { steps: limits.answerSteps, formats: answerFormats };

/** What is wrong with a value, at most ten problems. */
export function checkAgainst(schema: Json, value: Json, bounds: CheckBounds): readonly Problem[] {
  try {
    const found = new SchemaCheck(schema, bounds).at(schema, value, undefined);
    return found
      .slice(0, mostProblems)
      .map(({ place, message }) => ({ path: pathOf(place), message: message() }));
  } catch (error) {
    if (error instanceof Ended) return [{ path: '', message: error.message }];
    // The stack is used up: the value of an enumeration or of `uniqueItems` is too deep.
    if (error instanceof RangeError) return [{ path: '', message: tooDeep }];
    throw error;
  }
}

/** The rules of a schema for values of one kind. */
type Plan = readonly { readonly rule: Rule; readonly constraint: Json }[];
type Plans = Partial<Record<keyof typeof rulesByKind, Plan>>;

class SchemaCheck implements Check {
  readonly #references: References;
  readonly #formats: Formats;
  readonly #plans = new Map<JsonObject, Plans>();
  readonly #patterns = new Map<string, Pattern | undefined>();
  readonly #names = new Map<JsonObject, readonly string[]>();
  readonly #choices = new Map<Json, Choices>();
  enough = mostProblems;
  #left: number;
  #depth = 0;

  constructor(root: Json, { steps, formats }: CheckBounds) {
    this.#formats = formats;
    this.#references = new References(isJsonObject(root) ? root : {});
    this.#left = steps;
  }

  at(schema: Json | undefined, value: Json, place: Place): readonly Found[] {
    this.spend(2);
    if (schema === false) return [{ place, message: () => 'is not allowed' }];
    if (!isJsonObject(schema)) return nothing;
    this.#depth += 1;
    if (this.#depth > deepest) throw new Ended(tooDeep);
    const at: At = { check: this, schema, value, place };
    let found = nothing;
    const plan = this.#planFor(schema, value);
    this.spend(2 * plan.length);
    for (let index = 0; index < plan.length; index += 1) {
      const { rule, constraint } = plan[index] as Plan[number];
      const more = rule(constraint, at);
      if (more.length > 0) {
        this.spend(12);
        found = found.length > 0 ? [...found, ...more] : more;
      }
      if (found.length >= this.enough) break;
    }
    this.#depth -= 1;
    return found;
  }

  firstAt(schema: Json | undefined, value: Json, place: Place): Found | undefined {
    const { enough } = this;
    this.enough = 1;
    const [found] = this.at(schema, value, place);
    this.enough = enough;
    return found;
  }

  readonly spend = (steps: number): void => {
    this.#left -= steps;
    if (this.#left < 0) throw new Ended(tooMuch);
  };

  spendOn(text: string): void {
    this.spend(Math.ceil(text.length / 4));
  }

  /** It reads them once: many items may have the same schema, and many schemas the same value. */
  namesIn(value: Json | undefined): readonly string[] {
    if (!isJsonObject(value)) return [];
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const names = Object.keys(value);
    this.spend(8 + 2 * names.length);
    this.#names.set(value, names);
    return names;
  }

  target(reference: string): Json | undefined {
    this.spend(2);
    return this.#references.target(reference);
  }

  hasFormat(name: string, value: string | number): boolean {
    return isOfFormat(this.#formats, name, value);
  }

  matches(source: string, text: string): boolean {
    if (!this.#patterns.has(source)) {
      this.spend(200 + 20 * source.length);
      const compiled = compilePattern(source, { bounds: patternBounds });
      this.#patterns.set(source, compiled.ok ? compiled.pattern : undefined);
    }
    return this.#patterns.get(source)?.isIn(text, this.spend) ?? true;
  }

  /** Whether a list of values has a value. Looks through a long list once. */
  isOneOf(values: Json, value: Json): boolean {
    const known = this.#choices.get(values) ?? this.#choicesOf(values);
    if (typeof value !== 'object' || value === null) return known.plain.has(value);
    return known.others.some((other) => this.isSame(other, value));
  }

  #choicesOf(values: Json): Choices {
    const list = Array.isArray(values) ? values : [values];
    this.spend(4 * list.length);
    const isPlain = (value: Json): boolean => typeof value !== 'object' || value === null;
    const choices: Choices = {
      plain: new Set(list.filter(isPlain)),
      others: list.filter((value) => !isPlain(value)),
    };
    this.#choices.set(values, choices);
    return choices;
  }

  isSame(left: Json, right: Json): boolean {
    this.spend(4);
    if (left === right) return true;
    if (Array.isArray(left)) {
      if (!Array.isArray(right) || left.length !== right.length) return false;
      return left.every((item, index) => this.isSame(item, right[index] as Json));
    }
    if (!isJsonObject(left) || !isJsonObject(right)) return false;
    const names = this.namesIn(left);
    return (
      names.length === this.namesIn(right).length &&
      names.every(
        (name) =>
          Object.hasOwn(right, name) && this.isSame(left[name] as Json, right[name] as Json),
      )
    );
  }

  /** It makes the plan once: thousands of items may have the same schema. */
  #planFor(schema: JsonObject, value: Json): Plan {
    const kind = kindOf(value);
    const plans = this.#plans.get(schema) ?? {};
    const known = plans[kind];
    if (known !== undefined) return known;
    const keywords = Object.keys(schema);
    this.spend(4 * keywords.length);
    const plan = keywords.flatMap((keyword) => {
      const rule = ruleOf(anyRules, keyword) ?? ruleOf(rulesByKind[kind], keyword);
      return rule === undefined ? [] : [{ rule, constraint: schema[keyword] as Json }];
    });
    plans[kind] = plan;
    this.#plans.set(schema, plans);
    return plan;
  }
}

type Choices = { readonly plain: ReadonlySet<Json>; readonly others: readonly Json[] };

const rulesByKind = {
  number: numberRules,
  text: textRules,
  list: arrayRules,
  object: objectRules,
  other: {},
} satisfies Record<string, Rules>;

function kindOf(value: Json): keyof typeof rulesByKind {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'list';
  return isJsonObject(value) ? 'object' : 'other';
}

const ruleOf = (rules: Rules, keyword: string): Rule | undefined =>
  Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
