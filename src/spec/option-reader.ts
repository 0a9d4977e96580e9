import { parseDuration } from '../base/duration';
import { didYouMean } from '../base/nearest';
import { isPlainObject } from '../base/plain-json';
import { describeValue, joinPath, quote, type Problem } from '../base/problem';

type TextRule = { readonly pattern?: string; readonly rule: string; readonly required?: boolean };
type NumberRule = { readonly min: number; readonly max?: number };

/** Reads the options of a definition one by one and collects what is wrong with them. Options that are `undefined` count as absent. */
export class OptionReader {
  readonly problems: Problem[];
  readonly #options: Readonly<Record<string, unknown>>;
  readonly #path: string;

  constructor(
    options: unknown,
    names: readonly string[],
    inside?: { path: string; problems: Problem[] },
  ) {
    this.#path = inside?.path ?? '';
    this.problems = inside?.problems ?? [];
    this.#options = isPlainObject(options) ? options : {};
    if (!isPlainObject(options)) {
      const message = `must be a plain object of options, not ${describeValue(options)}`;
      this.problems.push({ path: this.#path, message });
      return;
    }
    for (const name of Object.keys(options)) {
      if (names.includes(name)) continue;
      this.refuse(name, `is not an option${didYouMean(name, names)}`);
    }
  }

  get(name: string): unknown {
    return Object.hasOwn(this.#options, name) ? this.#options[name] : undefined;
  }

  refuse(name: string, message: string): void {
    this.problems.push({ path: joinPath(this.#path, name), message });
  }

  text(name: string, { pattern, rule, required = false }: TextRule): string | undefined {
    const value = this.get(name);
    if (value === undefined) return required ? this.#missing(name, rule) : undefined;
    const isValid =
      typeof value === 'string' &&
      (pattern === undefined ? value.trim() !== '' : new RegExp(pattern).test(value));
    if (isValid) return value;
    this.refuse(name, `must be ${rule}, not ${describeValue(value)}`);
    return undefined;
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.get(name);
    const found = choices.find((choice) => choice === value);
    if (value !== undefined && found === undefined) {
      this.refuse(
        name,
        `must be one of ${choices.map(quote).join(', ')}, not ${describeValue(value)}`,
      );
    }
    return found;
  }

  flag(name: string): boolean | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === 'boolean') return value;
    this.refuse(name, `must be true or false, not ${describeValue(value)}`);
    return undefined;
  }

  integer(name: string, rule: NumberRule): number | undefined {
    return this.#number(name, 'a whole number', { ...rule, accepts: Number.isSafeInteger });
  }

  number(name: string, rule: NumberRule): number | undefined {
    return this.#number(name, 'a number', { ...rule, accepts: Number.isFinite });
  }

  duration(name: string): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const parsed = parseDuration(value);
    if (parsed.ok) return parsed.ms;
    this.refuse(name, parsed.message);
    return undefined;
  }

  callback(name: string, { required = false } = {}): void {
    const value = this.get(name);
    if (value === undefined && required) this.#missing(name, 'a function');
    if (value === undefined || typeof value === 'function') return;
    this.refuse(name, `must be a function, not ${describeValue(value)}`);
  }

  /** Reads the options inside an option. */
  nested(name: string, names: readonly string[]): OptionReader | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const inside = { path: joinPath(this.#path, name), problems: this.problems };
    const reader = new OptionReader(value, names, inside);
    return isPlainObject(value) ? reader : undefined;
  }

  #missing(name: string, rule: string): undefined {
    this.refuse(name, `is required: ${rule}`);
  }

  #number(
    name: string,
    kind: string,
    rule: NumberRule & { accepts: (value: unknown) => boolean },
  ): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const { min, max = Infinity, accepts } = rule;
    const isValid = typeof value === 'number' && accepts(value) && value >= min && value <= max;
    if (isValid) return value;
    const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
    this.refuse(name, `must be ${kind} ${range}, not ${describeValue(value)}`);
    return undefined;
  }
}
