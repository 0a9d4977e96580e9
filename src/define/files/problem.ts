import { LonghaulError } from '../../protocol/errors';

/** A place in a file, counted from 1. */
export type Place = { readonly file: string; readonly line: number; readonly column: number };

/** What is wrong with a spec, and where. `path` names the field as the file spells it. It is empty if the whole file is wrong. */
export type SpecProblem = Place & { readonly path: string; readonly message: string };

const mostShown = 50;

export function startOf(file: string): Place {
  return { file, line: 1, column: 1 };
}

export function problemAt(place: Place, path: string, message: string): SpecProblem {
  const { file, line, column } = place;
  return { file, line, column, path, message };
}

export function formatPlace({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

export function formatSpecProblem({ path, message, ...place }: SpecProblem): string {
  return `${formatPlace(place)}: ${path === '' ? message : `${path} ${message}`}`;
}

/** One error for everything that is wrong, in the order of `files` and of lines. `details.problems` lists every problem. */
export function specFilesError(
  found: readonly SpecProblem[],
  files: readonly string[] = [],
): LonghaulError {
  const problems = sortProblems(found, files);
  const lines = problems.slice(0, mostShown).map(formatSpecProblem);
  if (problems.length > mostShown) lines.push(`… and ${problems.length - mostShown} more`);
  const message =
    problems.length === 1
      ? lines.join('')
      : `The specs have ${problems.length} problems:\n${lines.map((line) => `- ${line}`).join('\n')}`;
  return new LonghaulError('SpecError', message, { details: { problems } });
}

/** Each problem once, in the order of these files and of lines. */
export function sortProblems(
  found: readonly SpecProblem[],
  first: readonly string[],
): SpecProblem[] {
  const unique = [
    ...new Map(found.map((problem) => [formatSpecProblem(problem), problem])).values(),
  ];
  const files = [...new Set([...first, ...unique.map(({ file }) => file)])];
  return unique.sort(
    (one, other) =>
      files.indexOf(one.file) - files.indexOf(other.file) ||
      one.line - other.line ||
      one.column - other.column,
  );
}
