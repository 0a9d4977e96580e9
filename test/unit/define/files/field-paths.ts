import { isJsonObject, type JsonSchema } from '../../../../src/base/json';
import { otherSpellings } from '../../../../src/define/files/names';

/** A field of the format, such as `settings.temperature` or `tasks[].prompt`, and its other spellings. */
export type FieldPath = readonly [path: string, otherSpellings: readonly string[]];

/** Every field of an object of the format, and of the objects in it; not of the runners in it. */
export function fieldPaths(schema: JsonSchema, parent = ''): readonly FieldPath[] {
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) {
    const found = (branches as JsonSchema[]).flatMap((branch) => fieldPaths(branch, parent));
    return [...new Map(found.map((field) => [field[0], field])).values()];
  }
  if (isJsonObject(schema.items)) return fieldPaths(schema.items, `${parent}[]`);
  const { properties } = schema;
  if (!isJsonObject(properties)) return [];
  const known = (name: string) => Object.hasOwn(properties, name);
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = parent === '' ? name : `${parent}.${name}`;
    return [
      [path, otherSpellings(name, known)] as const,
      ...fieldPaths(member as JsonSchema, path),
    ];
  });
}
