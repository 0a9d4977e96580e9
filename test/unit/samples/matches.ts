import type { Definitions, Shape } from '../contract/shapes';

/** Where a value has not the shape. A member that the shape does not know is no problem: an older or a newer version wrote it. */
export function mismatches(
  shape: Shape,
  value: unknown,
  { definitions, path = '' }: { readonly definitions: Definitions; readonly path?: string },
): readonly string[] {
  const wrong = [
    `${path || 'it'} is ${JSON.stringify(value)?.slice(0, 60)}, not ${JSON.stringify(shape).slice(0, 80)}`,
  ];
  const within = (inner: Shape, item: unknown, name: string) =>
    mismatches(inner, item, { definitions, path: path === '' ? name : `${path}.${name}` });
  if (typeof shape === 'string') return isPrimitive(shape, value) ? [] : wrong;
  if ('const' in shape) return value === shape.const ? [] : wrong;
  if ('ref' in shape)
    return mismatches(refOf(definitions, shape.ref), value, { definitions, path });
  if ('anyOf' in shape) {
    const all = shape.anyOf.map((one) => mismatches(one, value, { definitions, path }));
    return all.some((found) => found.length === 0) ? [] : (all.sort(byLength).at(0) ?? wrong);
  }
  if ('items' in shape || 'tuple' in shape) {
    if (!Array.isArray(value)) return wrong;
    const shapes = 'items' in shape ? value.map(() => shape.items) : shape.tuple;
    return shapes.flatMap((one, index) =>
      value[index] === undefined ? [] : within(one, value[index], String(index)),
    );
  }
  // No sample has functions, or objects of other packages.
  if ('foreign' in shape || 'calls' in shape) return wrong;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong;
  return Object.entries(shape.members).flatMap(([member, inner]) => {
    const name = member.replace(/\?$/, '');
    const given: unknown = Reflect.get(value, name);
    if (given !== undefined) return within(inner, given, name);
    return member.endsWith('?') ? [] : [`${path}.${name} is missing`];
  });
}

const byLength = (one: readonly string[], other: readonly string[]): number =>
  one.length - other.length;

function refOf(definitions: Definitions, ref: string): Shape {
  const found = definitions[ref];
  if (found === undefined) throw new Error(`no definition of ${ref}`);
  return found;
}

function isPrimitive(name: string, value: unknown): boolean {
  if (name === 'null') return value === null;
  if (name === 'string' || name === 'number' || name === 'boolean') return typeof value === name;
  return true;
}
