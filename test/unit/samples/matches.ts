import type { Definitions, Shape } from '../contract/shapes';

/** Where a value has not the shape. A member that the shape does not know is no problem: an older or a newer version wrote it. */
export function mismatches(
  shape: Shape,
  value: unknown,
  { definitions, path = '' }: { readonly definitions: Definitions; readonly path?: string },
): readonly string[] {
  const wrong = [
    `${path} is ${JSON.stringify(value)?.slice(0, 60)}, not ${JSON.stringify(shape).slice(0, 80)}`,
  ];
  const within = (inner: Shape, item: unknown, name: string) =>
    mismatches(inner, item, { definitions, path: path === '' ? name : `${path}.${name}` });
  if (typeof shape === 'string' || 'const' in shape) return isSimple(shape, value) ? [] : wrong;
  if ('ref' in shape)
    return mismatches(refOf(definitions, shape.ref), value, { definitions, path });
  if ('anyOf' in shape) {
    const all = shape.anyOf.map((one) => mismatches(one, value, { definitions, path }));
    return all.some((found) => found.length === 0) ? [] : (all.sort(byLength).at(0) ?? wrong);
  }
  const items = 'members' in shape ? membersOf(shape.members, value) : itemsOf(shape, value);
  if (items === undefined) return wrong;
  const lacking = items.filter(({ isMissing }) => isMissing === true);
  return [
    ...lacking.map(({ name }) => `${path}.${name} is missing`),
    ...items.flatMap(({ inner, item, name }) =>
      item === undefined ? [] : within(inner, item, name),
    ),
  ];
}

type Item = {
  readonly name: string;
  readonly inner: Shape;
  readonly item: unknown;
  readonly isMissing?: boolean;
};

function itemsOf(shape: Exclude<Shape, string>, value: unknown): readonly Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const shapes =
    'items' in shape ? value.map(() => shape.items) : 'tuple' in shape ? shape.tuple : [];
  return shapes.map((inner, index) => ({
    name: String(index),
    inner,
    item: value[index] as unknown,
  }));
}

function membersOf(members: Members, value: unknown): readonly Item[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.entries(members).map(([member, inner]) => {
    const name = member.replace(/\?$/, '');
    const item: unknown = Reflect.get(value, name);
    return { name, inner, item, isMissing: item === undefined && name === member };
  });
}

type Members = { readonly [name: string]: Shape };

const byLength = (one: readonly string[], other: readonly string[]): number =>
  one.length - other.length;

function refOf(definitions: Definitions, ref: string): Shape {
  const found = definitions[ref];
  if (found === undefined) throw new Error(`no definition of ${ref}`);
  return found;
}

function isSimple(shape: string | { readonly const: unknown }, value: unknown): boolean {
  if (typeof shape !== 'string') return value === shape.const;
  const name = shape;
  if (name === 'null') return value === null;
  if (name === 'string' || name === 'number' || name === 'boolean') return typeof value === name;
  return true;
}
