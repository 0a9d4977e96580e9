import type { OptionReader } from './option-reader';
import { toPlainJson } from '../define/plain-json';
import { joinPath } from './problem';

/** Copies of options that stand in the data as they are. */
export function readPlainOptions(
  reader: OptionReader,
  names: readonly string[],
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const value = reader.get(name);
    if (value === undefined) continue;
    const plain = toPlainJson(value);
    if (plain.ok) found[name] = plain.value;
    else reader.refuse(joinPath(name, plain.problem.path), plain.problem.message);
  }
  return found;
}
