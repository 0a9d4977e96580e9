import { formatPath } from '../../base/problem';
import type { Place } from './located';
import { problemAt, type SpecProblem } from './spec-problem';

export type Path = readonly (string | number)[];

/** Where a value stands, and what its field is called there. */
export type FieldPlace = { readonly place: Place; readonly written: string };

/** Where every value that was read stands, by its path in our own names. */
export class FieldPlaces {
  readonly #values = new Map<string, FieldPlace>();

  note(path: Path, place: FieldPlace): void {
    this.#values.set(formatPath(path), place);
  }

  /** A problem of what stands at the path; or, where nothing does, of the nearest thing around it. */
  at(path: string, message: string): SpecProblem {
    for (let around = path; ; around = parentOf(around)) {
      const found = this.#values.get(around);
      if (found !== undefined) {
        const written = found.written + path.slice(around.length);
        return problemAt(found.place, written, message);
      }
      if (around === '') return problemAt({ file: '', line: 1, column: 1 }, path, message);
    }
  }
}

/** `a.b[0]` is in `a.b`, that in `a`. */
function parentOf(path: string): string {
  const end = Math.max(path.lastIndexOf('.'), path.lastIndexOf('['));
  return end < 0 ? '' : path.slice(0, end);
}
