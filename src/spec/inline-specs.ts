import { isJsonObject, type JsonObject } from '../base/json';
import type { RunnerSpec } from '../protocol/spec';

/** Where the runners of each kind stand: as the items of a list, or in a member of those. */
const places: Readonly<Record<RunnerSpec['kind'], { readonly list: string; member?: 'runner' }>> = {
  agent: { list: 'subAgents', member: 'runner' },
  sequential: { list: 'steps' },
  parallel: { list: 'branches' },
  graph: { list: 'tasks', member: 'runner' },
};

/** The whole specs that stand in a spec in the place of ids. The spec may be wrong in every way. */
export function inlineSpecs(
  spec: JsonObject,
): readonly { readonly path: string; readonly spec: JsonObject }[] {
  const { kind } = spec;
  if (typeof kind !== 'string' || !Object.hasOwn(places, kind)) return [];
  const { list, member } = places[kind as RunnerSpec['kind']];
  const items = spec[list];
  if (!Array.isArray(items)) return [];
  return items.flatMap((item, index) => {
    const inline = member === undefined || !isJsonObject(item) ? item : item[member];
    const path = member === undefined ? `${list}[${index}]` : `${list}[${index}].${member}`;
    return isJsonObject(inline) ? [{ path, spec: inline }] : [];
  });
}
