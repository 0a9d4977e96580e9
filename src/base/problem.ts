// What is wrong with data from outside, in words. Pure.

/** What is wrong with a value, and where in it. `path` reads like code (`items[0].name`) and is empty for the value itself. */
export type Problem = { readonly path: string; readonly message: string };

const longestQuote = 80;

/** User text for an error message: quoted, on one line, cut when long. */
export function quote(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > longestQuote ? `'${line.slice(0, longestQuote)}…'` : `'${line}'`;
}

/** What a value is, in a few words, for "must be …, not …". */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : quote(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** `['items', 0, 'name']` as `items[0].name`. */
export function formatPath(segments: readonly (string | number)[]): string {
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
