import { canonicalJson, defined, formatPath, isJsonObject, type Json, type Path } from '../base';
import type { Definition, RunnerSpec } from '../protocol';
import { withoutResultTools } from './result-tools';

export type FieldChange = {
  readonly path: string;
  /** Left out where the field was not there. */
  readonly old?: Json;
  readonly new?: Json;
};

export type RunnerChange = {
  readonly runner: string;
  readonly kind: RunnerSpec['kind'];
  /** `affected`: the runner itself has not changed, but it calls one that has. */
  readonly change: 'added' | 'removed' | 'changed' | 'affected';
  readonly fields: readonly FieldChange[];
  /** The changed runners it reaches. */
  readonly through: readonly string[];
};

/** What runs would pin, by the runner they start with. */
export type Definitions = ReadonlyMap<string, Definition>;

/** The changes, runner by runner: first the runners of `before`, in their order. */
export function diffDefinitions(before: Definitions, after: Definitions): readonly RunnerChange[] {
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  const own = new Map(ids.map((id) => [id, ownChange(id, before, after)] as const));
  return ids.flatMap((id) => {
    const change = own.get(id);
    if (change !== undefined) return [change];
    const definition = after.get(id);
    const through = Object.keys(definition?.runners ?? {}).filter((other) => own.get(other));
    const kind = definition?.runners[id]?.kind;
    if (through.length === 0 || kind === undefined) return [];
    return [{ runner: id, kind, change: 'affected', fields: [], through }];
  });
}

/** True if runs of both definitions do the same, by their specs. */
export function isSameDefinition(one: Definition, other: Definition): boolean {
  return one.runner === other.runner && withoutResultTools(one) === withoutResultTools(other);
}

function ownChange(id: string, before: Definitions, after: Definitions): RunnerChange | undefined {
  const [old, fresh] = [before.get(id)?.runners[id], after.get(id)?.runners[id]];
  const change = (kind: RunnerSpec['kind'], what: RunnerChange['change']) => ({
    runner: id,
    kind,
    change: what,
    fields: [],
    through: [],
  });
  if (old === undefined) return fresh && change(fresh.kind, 'added');
  if (fresh === undefined) return change(old.kind, 'removed');
  const fields = [
    ...fieldChanges(old as unknown as Json, fresh as unknown as Json, []),
    ...toolChanges(old, fresh, [before.get(id), after.get(id)]),
  ];
  return fields.length === 0 ? undefined : { ...change(fresh.kind, 'changed'), fields };
}

/** The changes of the tools that an agent has before and after. */
function toolChanges(
  old: RunnerSpec,
  fresh: RunnerSpec,
  [before, after]: readonly (Definition | undefined)[],
): readonly FieldChange[] {
  if (old.kind !== 'agent' || fresh.kind !== 'agent') return [];
  const kept = (old.tools ?? []).filter((name) => fresh.tools?.includes(name));
  return kept.flatMap((name) => {
    const [one, other] = [before?.tools[name], after?.tools[name]];
    return fieldChanges(one as unknown as Json, other as unknown as Json, ['tools', name]);
  });
}

function fieldChanges(
  old: Json | undefined,
  fresh: Json | undefined,
  path: Path,
): readonly FieldChange[] {
  if (isJsonObject(old) && isJsonObject(fresh)) {
    const keys = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
    return keys.flatMap((key) => fieldChanges(old[key], fresh[key], [...path, key]));
  }
  if (isListOfObjects(old) && isListOfObjects(fresh) && old.length === fresh.length) {
    return old.flatMap((item, index) => fieldChanges(item, fresh[index], [...path, index]));
  }
  if (old === fresh || (old && fresh && canonicalJson(old) === canonicalJson(fresh))) return [];
  return [
    {
      path: formatPath(path),
      ...defined({ old, new: fresh }),
    },
  ];
}

function isListOfObjects(value: Json | undefined): value is Json[] {
  return Array.isArray(value) && value.every(isJsonObject);
}
