/** Code points as sorted, separate ranges, both ends included. */
export type CharSet = readonly (readonly [from: number, to: number])[];

const lastCodePoint = 0x10ffff;

export function single(codePoint: number): CharSet {
  return [[codePoint, codePoint]];
}

export function union(...sets: readonly CharSet[]): CharSet {
  const ranges = sets.flat().sort((left, right) => left[0] - right[0]);
  const merged: [number, number][] = [];
  for (const [from, to] of ranges) {
    const previous = merged.at(-1);
    if (previous !== undefined && from <= previous[1] + 1) previous[1] = Math.max(previous[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function complement(set: CharSet): CharSet {
  const result: [number, number][] = [];
  let next = 0;
  for (const [from, to] of union(set)) {
    if (from > next) result.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= lastCodePoint) result.push([next, lastCodePoint]);
  return result;
}

export function overlaps(left: CharSet, right: CharSet): boolean {
  return left.some(([from, to]) => right.some((other) => from <= other[1] && other[0] <= to));
}

function chars(...ranges: readonly string[]): CharSet {
  return ranges.map((range) => [
    range.codePointAt(0) ?? 0,
    range.codePointAt(range.length - 1) ?? 0,
  ]);
}

export const anything: CharSet = [[0, lastCodePoint]];
const digits = chars('09');
const wordCharacters = chars('09', 'AZ', '_', 'az');
const spaces = chars(
  '\t\r',
  ' ',
  '\u00a0',
  '\u1680',
  '\u2000\u200a',
  '\u2028\u2029',
  '\u202f',
  '\u205f',
  '\u3000',
  '\ufeff',
);
export const dot: CharSet = complement(chars('\n', '\r', '\u2028\u2029'));

/** What `\d`, `\W` and the like match, by their letter. */
export const classEscapes: Readonly<Record<string, CharSet>> = {
  d: digits,
  D: complement(digits),
  w: wordCharacters,
  W: complement(wordCharacters),
  s: spaces,
  S: complement(spaces),
};
