import { describeValue, didYouMean, quote } from '../base';
import { LonghaulError } from '../protocol';
import { specError } from './problems/problem';

/** A thing with its name, and the place where it was given, for messages. */
export type NamedValue<Value> = {
  readonly name: string;
  readonly value: Value;
  readonly place: string;
};

/** The words for a kind of thing that a worker knows by name. */
type NamedKind<Value> = {
  /** `tool` of `uses the tool 'x'`. */
  readonly noun: string;
  readonly plural: string;
  /** The function that makes it, such as `defineTool`. */
  readonly maker: string;
  /** Names what is missing among the details of the error, such as `missingTool`. */
  readonly detail: string;
  readonly isOne: (value: unknown) => value is Value;
};

/** Things of one kind by name. Two different things never share a name. */
export class NamedSet<Value> {
  readonly #kind: NamedKind<Value>;
  readonly #given = new Map<string, NamedValue<Value>>();

  constructor(kind: NamedKind<Value>, given: readonly NamedValue<Value>[] = []) {
    this.#kind = kind;
    for (const one of given) this.add(one);
  }

  /** `replaces`: takes the place of another one of its name. */
  add(given: NamedValue<Value>, { replaces = false }: { readonly replaces?: boolean } = {}): void {
    const { noun, maker, isOne } = this.#kind;
    const { name, value, place } = given;
    if (!isOne(value))
      throw refusal(place, `must come from ${maker}, not be ${describeValue(value)}`);
    const earlier = this.#given.get(name);
    if (earlier?.value === value) return;
    if (earlier !== undefined && !replaces) {
      throw refusal(
        place,
        `has another ${noun} ${quote(name)} than ${earlier.place}: ${this.#advice()}`,
      );
    }
    this.#given.set(name, given);
  }

  get(name: string): Value | undefined {
    return this.#given.get(name)?.value;
  }

  names(): readonly string[] {
    return [...this.#given.keys()];
  }

  values(): readonly Value[] {
    return [...this.#given.values()].map(({ value }) => value);
  }

  placeOf(name: string): string | undefined {
    return this.#given.get(name)?.place;
  }

  /** The thing that a runner names. Throws a `SpecError` that lists the known names. */
  require(name: string, user: { readonly subject: string; readonly id: string }): Value {
    const found = this.get(name);
    if (found !== undefined) return found;
    const { noun, detail } = this.#kind;
    const message = `${user.subject} uses the ${noun} ${quote(name)}, which is not registered here${didYouMean(name, this.names()) || '.'} ${this.listed()}`;
    throw new LonghaulError('SpecError', message, { details: { runner: user.id, [detail]: name } });
  }

  /** `Registered tools: a, b.` */
  listed(): string {
    const { plural } = this.#kind;
    const names = [...this.names()].sort();
    return names.length === 0
      ? `No ${plural} are registered.`
      : `Registered ${plural}: ${names.join(', ')}.`;
  }

  #advice(): string {
    return this.#kind.noun === 'tool'
      ? 'rename one, or set override: true on the one that shall replace the other'
      : 'rename one';
  }
}

function refusal(path: string, message: string) {
  return specError('The registry', [{ path, message }]);
}
