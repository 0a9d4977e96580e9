// Reads a regular expression and counts its steps, but writes no program. Pure.
//
// 1. JavaScript's own engine checks the syntax. It matches no text.
// 2. A pattern has no look-around and no back-reference (ADR 0023).

import { errorText } from '../../base';

export type PatternBounds = {
  readonly characters: number;
  /** The steps of the program, where all repetitions are written out. */
  readonly steps: number;
};

export type Assertion = '^' | '$' | '\\b' | '\\B';

export type Node =
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly nodes: readonly Node[] }
  | { readonly kind: 'choice'; readonly nodes: readonly Node[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly least: number; readonly most: number };

export type ParsedPattern = {
  readonly ok: true;
  readonly node: Node;
  readonly steps: number;
  /** In Unicode mode, a text is read by code points, and else by code units. */
  readonly isUnicode: boolean;
};

type Refusal = { readonly ok: false; readonly problem: string };

class Refused extends Error {}

const wayOut = 'write it without, or check it in code';

export function parsePattern(source: string, bounds: PatternBounds): ParsedPattern | Refusal {
  const refuse = (problem: string): Refusal => ({ ok: false, problem });
  const { characters, steps: most } = bounds;
  if (source.length > characters) return refuse(`has more than ${characters} characters`);
  // JSON Schema asks for Unicode mode. Patterns written for other engines often need the lenient one.
  const isUnicode = isRegExp(withoutProperties(source), 'u');
  if (!isUnicode && !isRegularExpression(source)) return refuse('is not a regular expression');
  try {
    const node = new Parser(source, isUnicode).whole();
    const { steps, visits } = sizeOf(node);
    // A billion repetitions of an empty pattern make no step, so visits count, too.
    if (steps >= most || visits > 10 * most)
      return refuse(`repeats too much: it has more than ${most} steps, written out`);
    return { ok: true, node, steps, isUnicode };
  } catch (error) {
    if (error instanceof Refused) return refuse(error.message);
    return refuse(`cannot be used: ${errorText(error)}`);
  }
}

export function isRegularExpression(source: string): boolean {
  return isRegExp(withoutProperties(source), 'u') || isRegExp(source, '');
}

function isRegExp(source: string, flags: string): boolean {
  try {
    return Boolean(new RegExp(source, flags));
  } catch {
    return false;
  }
}

/** Names that the engine knows. There are some hundred. */
// eslint-disable-next-line no-restricted-syntax -- what the engine knows is the same for all runs
const knownProperties = new Set<string>();

/** The same syntax, but cheap: the engine takes 0.1 ms to read each property, such as `\p{L}`. */
function withoutProperties(source: string): string {
  return source.replace(/\\(?:[pP]\{[^}]{0,60}\}|.)/gsu, (token) => {
    if (!/^\\[pP]\{/.test(token)) return token;
    if (!knownProperties.has(token) && !isRegExp(token, 'u')) return token;
    knownProperties.add(token);
    return '\\w';
  });
}

/** The tokens of one character: escapes, classes, and all others. */
function tokensOf(isUnicode: boolean): RegExp {
  const pair = 'u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}';
  const wide = `${pair}|u\\{[\\da-fA-F]+\\}|[pP]\\{[^}]*\\}|`;
  const escape = `\\\\(?:${isUnicode ? wide : ''}u[\\da-fA-F]{4}|x[\\da-fA-F]{2}|c[A-Za-z]|.)`;
  return new RegExp(`${escape}|\\[(?:\\\\.|[^\\]\\\\])*\\]|.`, isUnicode ? 'suy' : 'sy');
}

const tokens = { unicode: tokensOf(true), lenient: tokensOf(false) };
const repetition = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const group = /\((?:\?:|\?<[^=!>][^>]*>)?/uy;

/** Parses a pattern with a syntax that the engine has accepted. */
class Parser {
  readonly #source: string;
  readonly #token: RegExp;
  #at = 0;

  constructor(source: string, isUnicode: boolean) {
    this.#source = source;
    this.#token = isUnicode ? tokens.unicode : tokens.lenient;
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
    const [source = ''] = this.#match(this.#token) ?? [];
    if (source === '^' || source === '$' || source === '\\b' || source === '\\B')
      return { kind: 'assert', assertion: source };
    if (/^\\[1-9k]/.test(source)) throw new Refused(`uses a back-reference; ${wayOut}`);
    return { kind: 'char', source };
  }

  #group(): Node {
    if (/^\(\?<?[=!]/.test(this.#source.slice(this.#at, this.#at + 4)))
      throw new Refused(`uses look-ahead or look-behind; ${wayOut}`);
    const [opening = ''] = this.#match(group) ?? [];
    if (opening === '(' && this.#source.charAt(this.#at) === '?')
      throw new Refused(`uses a group with flags; ${wayOut}`);
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

/** `steps` of the program, and how often a node is written. */
type Size = { readonly steps: number; readonly visits: number };

function sizeOf(node: Node): Size {
  if (node.kind === 'char' || node.kind === 'assert') return { steps: 1, visits: 1 };
  if (node.kind === 'repeat') return sizeOfRepeat(node);
  let steps = node.kind === 'choice' ? 2 * (node.nodes.length - 1) : 0;
  let visits = 1;
  for (const size of node.nodes.map(sizeOf)) {
    steps += size.steps;
    visits += size.visits;
  }
  return { steps, visits };
}

function sizeOfRepeat({ node, least, most }: Extract<Node, { kind: 'repeat' }>): Size {
  const one = sizeOf(node);
  const isEndless = most === Infinity;
  const optional = isEndless ? 1 : Math.max(0, most - least);
  const splits = isEndless ? 2 : optional;
  const copies = least + optional;
  return { steps: copies * one.steps + splits, visits: 1 + copies * one.visits };
}
