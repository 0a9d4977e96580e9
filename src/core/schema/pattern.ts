// Regular expressions of schemas that anybody may have written, in linear time. It follows all ways through a pattern at once, and each
// step counts. Pure: no engine that tries one way after the other gets more than one character.
//
// 1. A pattern has no look-around and no back-reference, as everywhere else (ADR 0023).
// 2. One character is compared by JavaScript's own engine, so classes and escapes mean what they mean there.

import { errorText } from '../../base/problem';

/** Characters of a pattern, and the steps of its program when repetitions are written out. */
const longestPattern = 1_000;
const longestProgram = 2_000;

export type Pattern = {
  /** `spend` is called for each step, and may throw. */
  readonly isIn: (text: string, spend: (steps: number) => void) => boolean;
};

type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly problem: string };

type Assertion = '^' | '$' | '\\b' | '\\B';

/** `split` goes on at both places. */
type Step =
  | { readonly kind: 'char'; readonly matches: (char: string) => boolean }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'split'; to: readonly [number, number] }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'match' };

type Node =
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly least: number; readonly most: number };

class Refused extends Error {}

export function compilePattern(source: string): CompiledPattern {
  if (source.length > longestPattern)
    return { ok: false, problem: `has more than ${longestPattern} characters` };
  const flags = flagsOf(source);
  if (flags === undefined) return { ok: false, problem: 'is not a regular expression' };
  try {
    const program = new Compiler(flags).program(new Parser(source).whole());
    return { ok: true, pattern: { isIn: (text, spend) => runs(program, [...text], spend) } };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, problem: error.message };
    return { ok: false, problem: `cannot be used: ${errorText(error)}` };
  }
}

/** JSON Schema asks for Unicode mode. Patterns written for other engines often need the lenient one. */
function flagsOf(source: string): string | undefined {
  return ['u', ''].find((flags) => {
    try {
      return Boolean(new RegExp(source, flags));
    } catch {
      return false;
    }
  });
}

const surrogates = 'u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}';
const escape = `\\\\(?:${surrogates}|u\\{[\\da-fA-F]+\\}|u[\\da-fA-F]{4}|x[\\da-fA-F]{2}|c[A-Za-z]|[pP]\\{[^}]*\\}|.)`;
const token = new RegExp(`${escape}|\\[(?:\\\\.|[^\\]\\\\])*\\]|.`, 'suy');
const repetition = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const group = /\((?:\?:|\?<[^=!>][^>]*>)?/uy;

/** The engine has accepted the syntax already. */
class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): Node {
    return this.#choice();
  }

  #choice(): Node {
    const nodes = [this.#sequence()];
    while (this.#takes('|')) nodes.push(this.#sequence());
    return { kind: 'choice', nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source.charAt(this.#at)))
      nodes.push(this.#repeated(this.#atom()));
    return { kind: 'sequence', nodes };
  }

  #repeated(node: Node): Node {
    const [whole, sign, least, comma, most] = this.#match(repetition) ?? [];
    if (whole === undefined) return node;
    if (sign !== undefined)
      return {
        kind: 'repeat',
        node,
        least: sign === '+' ? 1 : 0,
        most: sign === '?' ? 1 : Infinity,
      };
    const from = Number(least);
    if (comma === undefined) return { kind: 'repeat', node, least: from, most: from };
    return { kind: 'repeat', node, least: from, most: most ? Number(most) : Infinity };
  }

  #atom(): Node {
    if (this.#source.charAt(this.#at) === '(') return this.#group();
    const [source = ''] = this.#match(token) ?? [];
    if (source === '^' || source === '$' || source === '\\b' || source === '\\B')
      return { kind: 'assert', assertion: source };
    if (/^\\[1-9k]/.test(source)) throw new Refused('uses a back-reference');
    return { kind: 'char', source };
  }

  #group(): Node {
    if (/^\(\?<?[=!]/.test(this.#source.slice(this.#at, this.#at + 4)))
      throw new Refused('uses look-ahead or look-behind');
    const [opening = ''] = this.#match(group) ?? [];
    if (opening === '(' && this.#source.charAt(this.#at) === '?')
      throw new Refused('uses a group with flags');
    const inside = this.#choice();
    this.#takes(')');
    return inside;
  }

  #takes(char: string): boolean {
    const isNext = this.#source.charAt(this.#at) === char;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found !== null) this.#at += found[0].length;
    return found;
  }
}

class Compiler {
  readonly #flags: string;
  readonly #steps: Step[] = [];
  readonly #tests = new Map<string, (char: string) => boolean>();
  #written = 0;

  constructor(flags: string) {
    this.#flags = flags;
  }

  program(node: Node): readonly Step[] {
    this.#write(node);
    this.#push({ kind: 'match' });
    return this.#steps;
  }

  #write(node: Node): void {
    // Repeating nothing a billion times makes no step.
    this.#written += 1;
    if (this.#written > 10 * longestProgram) throw new Refused('repeats too much');
    switch (node.kind) {
      case 'char':
        this.#push({ kind: 'char', matches: this.#test(node.source) });
        return;
      case 'assert':
        this.#push(node);
        return;
      case 'sequence':
        return node.nodes.forEach((inside) => this.#write(inside));
      case 'choice':
        return this.#writeChoice(node.nodes);
      case 'repeat':
        return this.#writeRepeat(node);
    }
  }

  #writeChoice(nodes: readonly Node[]): void {
    const ends = nodes.slice(0, -1).map((node) => {
      const start = this.#steps.length;
      const split = this.#push({ kind: 'split', to: [0, 0] });
      this.#write(node);
      const end = this.#push({ kind: 'jump', to: 0 });
      split.to = [start + 1, this.#steps.length];
      return end;
    });
    nodes.slice(-1).forEach((node) => this.#write(node));
    for (const end of ends) end.to = this.#steps.length;
  }

  #writeRepeat({ node, least, most }: Extract<Node, { kind: 'repeat' }>): void {
    for (let count = 0; count < least; count += 1) this.#write(node);
    if (most === Infinity) {
      const start = this.#steps.length;
      const split = this.#push({ kind: 'split', to: [0, 0] });
      this.#write(node);
      this.#push({ kind: 'jump', to: start });
      split.to = [start + 1, this.#steps.length];
      return;
    }
    const splits: Extract<Step, { kind: 'split' }>[] = [];
    for (let count = least; count < most; count += 1) {
      splits.push(this.#push({ kind: 'split', to: [this.#steps.length + 1, 0] }));
      this.#write(node);
    }
    for (const split of splits) split.to = [split.to[0], this.#steps.length];
  }

  #push<Pushed extends Step>(step: Pushed): Pushed {
    if (this.#steps.length >= longestProgram) throw new Refused('repeats too much');
    this.#steps.push(step);
    return step;
  }

  #test(source: string): (char: string) => boolean {
    const known = this.#tests.get(source);
    if (known !== undefined) return known;
    const isPlain = source !== '.' && !/^[\\[]/.test(source);
    const expression = isPlain ? undefined : new RegExp(`^(?:${source})$`, this.#flags);
    const test = (char: string): boolean => expression?.test(char) ?? char === source;
    this.#tests.set(source, test);
    return test;
  }
}

const isWordChar = (char: string | undefined): boolean => char !== undefined && /^\w$/.test(char);

function holds(assertion: Assertion, chars: readonly string[], at: number): boolean {
  if (assertion === '^') return at === 0;
  if (assertion === '$') return at === chars.length;
  const isBoundary = isWordChar(chars[at - 1]) !== isWordChar(chars[at]);
  return isBoundary === (assertion === '\\b');
}

/** Whether the program matches somewhere in the text. Each place of the program is visited at most once for each character. */
function runs(
  program: readonly Step[],
  chars: readonly string[],
  spend: (steps: number) => void,
): boolean {
  let reached: number[] = [];
  for (let at = 0; at <= chars.length; at += 1) {
    const seen = new Set<number>();
    const open = [...reached.reverse(), 0];
    reached = [];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (seen.has(place)) continue;
      seen.add(place);
      const step = program[place];
      if (step === undefined || step.kind === 'match') return true;
      if (step.kind === 'split') open.push(...step.to);
      else if (step.kind === 'jump') open.push(step.to);
      else if (step.kind === 'char') {
        const char = chars[at];
        if (char !== undefined && step.matches(char)) reached.push(place + 1);
      } else if (holds(step.assertion, chars, at)) open.push(place + 1);
    }
    spend(seen.size);
  }
  return false;
}
