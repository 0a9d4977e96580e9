import type { Problem } from '../base/problem';

/** A place whose option could not be read is missing from the data: that is no second problem. */
export function unreported(
  found: readonly Problem[],
  known: readonly Problem[],
  subjectOf: (path: string) => string = optionOf,
): Problem[] {
  const reported = new Set(known.map(({ path }) => subjectOf(path)));
  return found.filter(({ path }) => !reported.has(subjectOf(path)));
}

/** The option that a path begins with. */
export function optionOf(path: string): string {
  return path.split(/[.[ ]/, 1)[0] ?? '';
}
