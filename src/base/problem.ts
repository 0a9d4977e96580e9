// Describes what is wrong with data from outside. Pure.

const longestWord = 100;

/** A limit on comparisons: a schema may have thousands of names, and a value as many wrong ones. */
const mostComparisons = 50_000;

/** What is wrong with a value, and where. `path` reads like code (`items[0].name`) and is empty for the whole value. */
export type Problem = { readonly path: string; readonly message: string };

/** Members and items on the way from a value to one in it. */
export type Path = readonly (string | number)[];

const longestQuote = 80;

/** User text for an error message: quoted, on one line, cut when long. */
export function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > longestQuote ? `'${line.slice(0, longestQuote)}…'` : `'${line}'`;
}

/** The message of any thrown value. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Describes a value in a few words, for "must be …, not …". */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : quote(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** `['items', 0, 'name']` as `items[0].name`. */
export function formatPath(segments: Path): string {
  return segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    if (!/^[A-Za-z_$][\w$-]*$/.test(segment)) return `${path}[${JSON.stringify(segment)}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
}

export function joinPath(parent: string, child: string): string {
  if (parent === '' || child === '') return parent + child;
  return child.startsWith('[') ? parent + child : `${parent}.${child}`;
}

export function formatProblem({ path, message }: Problem): string {
  return path === '' ? message : `${path} ${message}`;
}

/** Damerau-Levenshtein distance, adjacent swaps counted once (optimal string alignment). */
export function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= left.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = left[row - 1] === right[column - 1] ? 0 : 1;
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + substitution,
          swapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(left.length, right.length);
}

/** The candidates that a mistyped word may mean, nearest first: at most three, each within a third of its length. */
export function nearest(word: string, candidates: Iterable<string>): string[] {
  if (word.length > longestWord) return [];
  const typed = word.toLowerCase();
  const similar = [...new Set(candidates)].filter(
    (candidate) => Math.abs(candidate.length - word.length) <= longestWord / 3,
  );
  const letters = similar.reduce((sum, candidate) => sum + candidate.length, 0);
  if (letters * word.length > mostComparisons) return [];
  const scored = similar
    .map((candidate) => ({ candidate, distance: editDistance(typed, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => {
      const shorter = Math.min(word.length, candidate.length);
      return distance < shorter && distance <= Math.max(1, Math.floor(candidate.length / 3));
    });
  scored.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  return scored.slice(0, 3).map(({ candidate }) => candidate);
}

/** `; did you mean 'x'?`, or nothing when no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = nearest(word, candidates).map(quote);
  return found.length === 0 ? '' : `; did you mean ${found.join(' or ')}?`;
}
