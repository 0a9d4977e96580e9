// Counts how long a regular expression becomes when its repetitions are written out. It takes linear time, and compiles nothing. Pure.

const groupStart = /\((?:\?(?:[:=!]|<[=!]|<[^>]{0,100}>))?/uy;
const escape = /\\(?:[pPux]\{[^}]{0,100}\}|.)/suy;
const repetition = /[*+?]|\{(\d+)(?:(,)(\d*))?\}/uy;

/** An engine makes the ranges of `\p{…}` once, for any number of repetitions. That takes as long as this many steps. */
const property = /\\[pP]/g;
const propertySteps = 25;

/** A number above every budget. Counts stop there and do not grow to infinity, so that sums and differences stay numbers. */
const most = 2 ** 40;

/** `last`: the steps of what a repetition behind it repeats. */
type Group = { steps: number; last: number };

/** An upper bound of the steps. Nested repetitions multiply. A text that is no pattern gets some number, too. */
export function patternSteps(source: string): number {
  const outer: Group[] = [];
  let group: Group = { steps: 1, last: 0 };
  const add = (steps: number): void => {
    group.steps += steps;
    group.last = Math.min(most, steps);
  };
  for (let at = 0; at < source.length;) {
    const char = source.charAt(at);
    const token = tokenAt(source, at);
    if (char === ')') {
      const { steps } = group;
      group = outer.pop() ?? { steps: 1, last: 0 };
      add(steps);
    } else if (char === '(') {
      outer.push(group);
      group = { steps: 1, last: 0 };
    } else if (token.copies !== undefined) {
      const repeated = Math.min(most, token.copies * (group.last + 1) + 1);
      group.steps += repeated - group.last;
      group.last = repeated;
    } else add(char === '|' ? 2 : 1);
    at += token.length;
  }
  const properties = (source.match(property)?.length ?? 0) * propertySteps;
  return outer.reduce((sum, { steps }) => sum + steps, group.steps + properties);
}

type Token = { readonly length: number; readonly copies?: number };

function tokenAt(source: string, at: number): Token {
  const char = source.charAt(at);
  if (char === '[') return { length: classLength(source, at) };
  const expression = char === '(' ? groupStart : char === '\\' ? escape : repetition;
  expression.lastIndex = at;
  const found = expression.exec(source);
  if (found === null) return { length: 1 };
  const { length } = found[0];
  return expression === repetition ? { length, copies: copiesIn(found) } : { length };
}

/** How many copies a repetition makes. `x+` is an `x` and a repeated one. */
function copiesIn([sign, from = '', comma, to = '']: RegExpExecArray): number {
  if (sign === '*' || sign === '?') return 1;
  if (sign === '+') return 2;
  if (comma === undefined) return Math.max(1, Number(from));
  return Math.max(1, to === '' ? Number(from) + 1 : Number(to));
}

/** All of `[…]` is one step. */
function classLength(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source.charAt(at) !== ']') at += source.charAt(at) === '\\' ? 2 : 1;
  return at + 1 - from;
}
