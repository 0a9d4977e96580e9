import { StoreError } from '../../protocol/error-classes';

/** A plain path of a file. SQLite reads `file:…`, `?` and `#` as a URI; `..` leads out of the folder that was meant. */
export function checkSqlitePath(path: unknown): asserts path is string {
  if (typeof path !== 'string' || path.trim() === '' || path.includes('\0'))
    throw new StoreError('the path of a SQLite database must be a text that is not empty');
  const problem = problemOf(path);
  if (problem !== undefined)
    throw new StoreError(`the path of a SQLite database must not ${problem}: '${path}'`);
}

function problemOf(path: string): string | undefined {
  if (/[?#]/.test(path)) return `contain '?' or '#'`;
  if (/^file:/i.test(path)) return 'be a URI';
  return path.split(/[/\\]/).includes('..') ? `have '..' as a part` : undefined;
}
