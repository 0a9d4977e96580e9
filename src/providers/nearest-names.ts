import { NotRegisteredHere } from '../protocol/error-classes';
import type { LonghaulError } from '../protocol/errors';

/** For a provider that no map entry has; retryable, because another worker may know it. */
export function unknownProvider(name: string, known: Iterable<string>): LonghaulError {
  const names = [...known];
  const near = nearestNames(name, names);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Known: ${names.sort().join(', ')}.`;
  const message = `No model provider "${name}" on this worker. ${hint} Others go into the worker's providers option.`;
  return new NotRegisteredHere(message, {
    retryable: true,
    details: { provider: name, nearest: near },
  });
}

/** At most three names that a slip of the keyboard would explain, the nearest first. */
export function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  return known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ distance, candidate }) => distance <= Math.max(2, Math.floor(candidate.length / 3)))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_value, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1;
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + change,
        ),
      );
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
