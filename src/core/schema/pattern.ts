// Regular expressions that anybody may have written, in linear time. It follows all ways through a pattern at once, and each step counts.
// Pure: no engine that tries one way after the other gets more than one character.
//
// 1. A pattern has no look-around and no back-reference (ADR 0023).
// 2. One character is compared by JavaScript's own engine, so classes and escapes mean what they mean there.

import { type Node, type ParsedPattern, parsePattern, type PatternBounds } from './pattern-parser';

/** The matcher calls it with the number of steps, before it takes them. It may throw. */
type Spend = (steps: number) => void;

export type Pattern = {
  readonly isIn: (text: string, spend: Spend) => boolean;
  /** Where the first match begins. */
  readonly indexIn: (text: string, spend: Spend) => number | undefined;
};

type CompiledPattern =
  | { readonly ok: true; readonly pattern: Pattern }
  | { readonly ok: false; readonly problem: string };

export type PatternOptions = { readonly bounds: PatternBounds; readonly ignoresCase?: boolean };

/** The program is written with the first text. */
export function compilePattern(source: string, options: PatternOptions): CompiledPattern {
  const parsed = parsePattern(source, options.bounds);
  if (!parsed.ok) return parsed;
  let written: Program | undefined;
  const programFor = (spend: Spend): Program => {
    if (written === undefined) spend(200 + 20 * parsed.steps);
    return (written ??= new Program(parsed, options.ignoresCase === true));
  };
  const isIn: Pattern['isIn'] = (text, spend) =>
    programFor(spend).search(text, spend, 'any') !== undefined;
  const indexIn: Pattern['indexIn'] = (text, spend) =>
    programFor(spend).search(text, spend, 'first');
  return { ok: true, pattern: { isIn, indexIn } };
}

type Repeat = Extract<Node, { kind: 'repeat' }>;
type Holds = (before: number, after: number) => boolean;

/** A step. `split` goes on at the next place, and at `to`. */
type Step =
  | { readonly kind: 'char'; readonly test: CharTest }
  | { readonly kind: 'assert'; readonly holds: Holds }
  | { readonly kind: 'split' | 'jump'; to: number }
  | { readonly kind: 'match' };

/** Stands for the character before the text and after it. */
const none = -1;
/** The cost, in steps, of a character that was not compared before. */
const firstLook = 24;

class Program {
  readonly #steps: Step[] = [];
  readonly #tests = new Map<string, CharTest>();
  readonly #isUnicode: boolean;
  readonly #ignoresCase: boolean;
  readonly #isAnchored: boolean;
  /** When each place was last visited, counted over all searches. */
  readonly #visited: Float64Array;
  readonly #open: Int32Array;
  #reached: Reached;
  #next: Reached;
  #time = 0;

  constructor({ node, isUnicode }: ParsedPattern, ignoresCase: boolean) {
    this.#isUnicode = isUnicode;
    this.#ignoresCase = ignoresCase;
    this.#isAnchored = beginsAtStart(node);
    this.#write(node);
    this.#steps.push({ kind: 'match' });
    const size = this.#steps.length + 1;
    this.#visited = new Float64Array(size);
    this.#open = new Int32Array(2 * size);
    this.#reached = new Reached(size);
    this.#next = new Reached(size);
  }

  /** Where a match begins: the first one, or any. Each place is visited once at most for each character. */
  search(text: string, spend: Spend, which: 'first' | 'any'): number | undefined {
    let found: number | undefined;
    let before = none;
    this.#reached.count = 0;
    for (let at = 0; at <= text.length;) {
      const mayBegin = found === undefined && (at === 0 || !this.#isAnchored);
      if (mayBegin) this.#reached.add(0, at);
      const code = this.#codeAt(text, at);
      found = this.#advance(before, code, spend) ?? found;
      const isOver = this.#isAnchored && this.#reached.count === 0;
      if (isOver || (found !== undefined && (which === 'any' || !this.#mayBeginBefore(found))))
        return found;
      before = code;
      at += code > 0xffff ? 2 : 1;
    }
    return found;
  }

  /** The places that are reached are in the order of where their matches begin. */
  #mayBeginBefore(start: number): boolean {
    const { count, starts } = this.#reached;
    return count > 0 && (starts[0] ?? 0) < start;
  }

  /** Follows all places over one character. Returns where a match begins that ends before it. */
  #advance(before: number, code: number, spend: Spend): number | undefined {
    const [reached, next, open] = [this.#reached, this.#next, this.#open];
    const time = (this.#time += 1);
    let found: number | undefined;
    let visits = 1;
    next.count = 0;
    for (let index = 0; index < reached.count && found === undefined; index += 1) {
      const start = reached.starts[index] ?? 0;
      let opened = 1;
      open[0] = reached.places[index] ?? 0;
      while (opened > 0) {
        opened -= 1;
        const at = open[opened] ?? 0;
        if (this.#visited[at] === time) continue;
        this.#visited[at] = time;
        visits += 1;
        const step = this.#steps[at] as Step;
        if (step.kind === 'char') {
          if (code !== none && step.test.matches(code, spend)) next.add(at + 1, start);
        } else if (step.kind === 'match') {
          found = start;
          break;
        } else if (step.kind === 'assert') {
          if (step.holds(before, code)) open[opened++] = at + 1;
        } else {
          open[opened++] = step.to;
          if (step.kind === 'split') open[opened++] = at + 1;
        }
      }
    }
    spend(visits);
    this.#reached = next;
    this.#next = reached;
    return found;
  }

  #codeAt(text: string, at: number): number {
    if (at >= text.length) return none;
    return this.#isUnicode ? (text.codePointAt(at) ?? none) : text.charCodeAt(at);
  }

  #write(node: Node): void {
    switch (node.kind) {
      case 'char':
        this.#steps.push({ kind: 'char', test: this.#test(node.source) });
        return;
      case 'assert':
        this.#steps.push({ kind: 'assert', holds: assertions[node.assertion] });
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
      const split = this.#goTo('split');
      this.#write(node);
      const end = this.#goTo('jump');
      split.to = this.#steps.length;
      return end;
    });
    nodes.slice(-1).forEach((node) => this.#write(node));
    for (const end of ends) end.to = this.#steps.length;
  }

  #writeRepeat({ node, least, most }: Repeat): void {
    for (let count = 0; count < least; count += 1) this.#write(node);
    if (most === Infinity) {
      const start = this.#steps.length;
      const split = this.#goTo('split');
      this.#write(node);
      this.#goTo('jump').to = start;
      split.to = this.#steps.length;
      return;
    }
    const splits: { to: number }[] = [];
    for (let count = least; count < most; count += 1) {
      splits.push(this.#goTo('split'));
      this.#write(node);
    }
    for (const split of splits) split.to = this.#steps.length;
  }

  #goTo(kind: 'split' | 'jump'): { to: number } {
    const step = { kind, to: 0 };
    this.#steps.push(step);
    return step;
  }

  #test(source: string): CharTest {
    const known = this.#tests.get(source);
    if (known !== undefined) return known;
    const flags = this.#isUnicode ? 'u' : '';
    const test = new CharTest(testOf(source, flags, this.#ignoresCase));
    this.#tests.set(source, test);
    return test;
  }
}

/** Places of the program, and where the match began that comes by each. */
class Reached {
  readonly places: Int32Array;
  readonly starts: Float64Array;
  count = 0;

  constructor(size: number) {
    this.places = new Int32Array(size);
    this.starts = new Float64Array(size);
  }

  add(place: number, start: number): void {
    this.places[this.count] = place;
    this.starts[this.count] = start;
    this.count += 1;
  }
}

/** Whether every match begins where the text begins. */
function beginsAtStart(node: Node): boolean {
  if (node.kind === 'assert') return node.assertion === '^';
  if (node.kind === 'choice') return node.nodes.every(beginsAtStart);
  const [first] = node.kind === 'sequence' ? node.nodes : [];
  return first !== undefined && beginsAtStart(first);
}

/** A letter from A to Z in any case, a digit or `_`. */
function isWord(code: number): boolean {
  if (code >= 48 && code <= 57) return true;
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || code === 95;
}

const assertions = {
  '^': (before: number) => before === none,
  $: (_before: number, after: number) => after === none,
  '\\b': (before: number, after: number) => isWord(before) !== isWord(after),
  '\\B': (before: number, after: number) => isWord(before) === isWord(after),
};

/** Whether a character is one of a kind. Looks at each character once. */
class CharTest {
  readonly #matches: (char: string) => boolean;
  /** 1 and 2: no and yes. */
  readonly #ascii = new Uint8Array(128);
  readonly #others = new Map<number, boolean>();

  constructor(matches: (char: string) => boolean) {
    this.#matches = matches;
  }

  matches(code: number, spend: Spend): boolean {
    if (code >= 128) return this.#others.get(code) ?? this.#look(code, spend);
    const known = this.#ascii[code];
    if (known !== 0) return known === 2;
    const isMatch = this.#matches(String.fromCodePoint(code));
    this.#ascii[code] = isMatch ? 2 : 1;
    return isMatch;
  }

  #look(code: number, spend: Spend): boolean {
    spend(firstLook);
    const isMatch = this.#matches(String.fromCodePoint(code));
    this.#others.set(code, isMatch);
    return isMatch;
  }
}

/** By token and mode. The engine knows some hundred properties, and takes 0.1 ms to read one. */
// eslint-disable-next-line no-restricted-syntax -- what the engine knows is the same for all runs
const properties = new Map<string, RegExp>();

function property(token: string): RegExp {
  const known = properties.get(token) ?? new RegExp(token, 'u');
  properties.set(token, known);
  return known;
}

const escapes = /\\(?:[pP]\{[^}]*\}|.)/gsu;
const isProperty = (token: string): boolean => /^\\[pP]\{/.test(token);

function testOf(source: string, flags: string, ignoresCase: boolean): (char: string) => boolean {
  if (source !== '.' && !/^[\\[]/.test(source)) {
    const isSame = (char: string): boolean => char === source;
    return ignoresCase ? inAnyCase(isSame) : isSame;
  }
  const isNegated = source.startsWith('[^');
  const isUnicode = flags === 'u';
  const named = isUnicode ? (source.match(escapes) ?? []).filter(isProperty).map(property) : [];
  const plain = isUnicode
    ? source.replace(escapes, (token) => (isProperty(token) ? '' : token))
    : source;
  const rest = plain === '' ? undefined : new RegExp(`^${plain.replace(/^\[\^/, '[')}$`, flags);
  const isIn = (char: string): boolean =>
    rest?.test(char) === true || named.some((each) => each.test(char));
  const test = ignoresCase ? inAnyCase(isIn) : isIn;
  return (char) => test(char) !== isNegated;
}

const inAnyCase =
  (test: (char: string) => boolean) =>
  (char: string): boolean =>
    test(char) || test(char.toLowerCase()) || test(char.toUpperCase());
