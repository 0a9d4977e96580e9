import { anything, classEscapes, complement, dot, single, union, type CharSet } from './char-set';

/** A regular expression as far as its running time depends on it. */
export type PatternNode =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly item: PatternNode;
      readonly min: number;
      readonly max: number;
    }
  /** Matched at one place without using up text. */
  | { readonly kind: 'look'; readonly item: PatternNode };

/** Syntax this parser does not know; the pattern is then not known to be safe. */
export class UnknownSyntax extends Error {}

type Cursor = { readonly text: string; at: number };

const empty: PatternNode = { kind: 'empty' };
const controlEscapes: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** Reads a pattern the RegExp constructor accepts. */
export function parsePattern(text: string): PatternNode {
  const cursor = { text, at: 0 };
  const node = parseChoice(cursor);
  if (cursor.at < text.length) throw new UnknownSyntax(text);
  return node;
}

function parseChoice(cursor: Cursor): PatternNode {
  const branches = [parseSequence(cursor)];
  while (take(cursor, '|')) branches.push(parseSequence(cursor));
  return branches.length === 1 ? (branches[0] ?? empty) : { kind: 'choice', branches };
}

function parseSequence(cursor: Cursor): PatternNode {
  const items: PatternNode[] = [];
  while (cursor.at < cursor.text.length && !peek(cursor, '|') && !peek(cursor, ')')) {
    items.push(parseRepeat(cursor, parseAtom(cursor)));
  }
  return { kind: 'sequence', items };
}

function parseRepeat(cursor: Cursor, item: PatternNode): PatternNode {
  const found = match(cursor, /([*+?]|\{(\d+)(,(\d*))?\})\??/y);
  if (found === undefined) return item;
  const [, symbol, lower, comma, upper] = found;
  if (symbol === '*') return { kind: 'repeat', item, min: 0, max: Infinity };
  if (symbol === '+') return { kind: 'repeat', item, min: 1, max: Infinity };
  if (symbol === '?') return { kind: 'repeat', item, min: 0, max: 1 };
  const min = Number(lower);
  const max = comma === undefined ? min : upper === '' ? Infinity : Number(upper);
  return { kind: 'repeat', item, min, max };
}

function parseAtom(cursor: Cursor): PatternNode {
  if (take(cursor, '(')) return parseGroup(cursor);
  if (take(cursor, '[')) return { kind: 'set', set: parseClass(cursor) };
  if (take(cursor, '^') || take(cursor, '$')) return empty;
  if (take(cursor, '.')) return { kind: 'set', set: dot };
  if (take(cursor, '\\')) return parseEscape(cursor);
  return { kind: 'set', set: single(nextCodePoint(cursor)) };
}

function parseGroup(cursor: Cursor): PatternNode {
  const opening = match(cursor, /\?(:|=|!|<=|<!|<[\p{ID_Start}$_][\p{ID_Continue}$]*>)/uy);
  if (opening === undefined && peek(cursor, '?')) throw new UnknownSyntax(cursor.text);
  const item = parseChoice(cursor);
  if (!take(cursor, ')')) throw new UnknownSyntax(cursor.text);
  const isLook = ['=', '!', '<=', '<!'].includes(opening?.[1] ?? '');
  return isLook ? { kind: 'look', item } : item;
}

function parseEscape(cursor: Cursor): PatternNode {
  if (match(cursor, /[bB]/y)) return empty;
  if (match(cursor, /[1-9]\d*|k<[^>]*>/y)) {
    // A back reference matches text that is not known here.
    return { kind: 'repeat', item: { kind: 'set', set: anything }, min: 0, max: Infinity };
  }
  return { kind: 'set', set: parseCharacterEscape(cursor) };
}

function parseCharacterEscape(cursor: Cursor): CharSet {
  if (match(cursor, /[pP]\{[^}]*\}/y)) return anything;
  const hex = match(cursor, /x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|u\{([\dA-Fa-f]+)\}/y);
  if (hex) return single(parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '0', 16));
  const control = match(cursor, /c([A-Za-z])/y);
  if (control) return single((control[1]?.charCodeAt(0) ?? 0) % 32);
  const codePoint = nextCodePoint(cursor);
  const letter = String.fromCodePoint(codePoint);
  return classEscapes[letter] ?? single(controlEscapes[letter] ?? codePoint);
}

function parseClass(cursor: Cursor): CharSet {
  const isNegated = take(cursor, '^');
  const sets: CharSet[] = [];
  while (!take(cursor, ']')) {
    const from = parseClassMember(cursor);
    const isRange = peek(cursor, '-') && cursor.text[cursor.at + 1] !== ']';
    if (!isRange) {
      sets.push(from);
      continue;
    }
    take(cursor, '-');
    sets.push(rangeOf(from, parseClassMember(cursor)));
  }
  const set = union(...sets);
  return isNegated ? complement(set) : set;
}

function parseClassMember(cursor: Cursor): CharSet {
  if (!take(cursor, '\\')) return single(nextCodePoint(cursor));
  return take(cursor, 'b') ? single(8) : parseCharacterEscape(cursor);
}

/** `[\w-x]` is no range in lenient patterns: then all three are members. */
function rangeOf(from: CharSet, to: CharSet): CharSet {
  const [first] = from;
  const [last] = to;
  const isRange = from.length === 1 && to.length === 1 && first?.[0] === first?.[1];
  if (!isRange || first === undefined || last === undefined) return union(from, single(45), to);
  return [[first[0], last[1]]];
}

function nextCodePoint(cursor: Cursor): number {
  const codePoint = cursor.text.codePointAt(cursor.at);
  if (codePoint === undefined) throw new UnknownSyntax(cursor.text);
  cursor.at += codePoint > 0xffff ? 2 : 1;
  return codePoint;
}

function peek(cursor: Cursor, character: string): boolean {
  return cursor.text[cursor.at] === character;
}

function take(cursor: Cursor, character: string): boolean {
  const found = peek(cursor, character);
  if (found) cursor.at += 1;
  return found;
}

/** Matches a sticky pattern at the cursor and moves behind it. */
function match(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text) ?? undefined;
  if (found !== undefined) cursor.at += found[0].length;
  return found;
}
