// Finds the members and items that the schemas for a value name. `unevaluatedProperties` and `unevaluatedItems` are for all others. Pure.

import { isJsonObject, type Json, type JsonObject } from '../../base';
import { type At, listed, memberOf } from './rules';
import { isMet } from './value-rules';

/** The schema, and all those that it applies to the same value and that the value meets. */
export function schemasFor(at: At): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const open: (Json | undefined)[] = [at.schema];
  for (let schema = open.pop(); open.length > 0 || schema !== undefined; schema = open.pop()) {
    at.check.spend(4);
    if (!isJsonObject(schema)) continue;
    found.push(schema);
    open.push(...metBy(at, schema));
  }
  return found;
}

function metBy(at: At, schema: JsonObject): readonly (Json | undefined)[] {
  const { $ref, allOf = [], anyOf = [], oneOf = [], dependentSchemas, dependencies } = schema;
  const met = [...listed(anyOf), ...listed(oneOf)].filter((branch) => isMet(at, branch));
  const dependents = [dependentSchemas, dependencies].flatMap((needs) =>
    at.check
      .namesIn(needs)
      .filter((name) => memberOf(at.value, name) !== undefined)
      .map((name) => memberOf(needs, name)),
  );
  const target = typeof $ref === 'string' ? [at.check.target($ref)] : [];
  return [...target, ...listed(allOf), ...met, ...branches(at, schema), ...dependents];
}

function branches(at: At, schema: JsonObject): readonly (Json | undefined)[] {
  const { if: condition, then: consequence, else: alternative } = schema;
  if (condition === undefined) return [];
  return isMet(at, condition) ? [condition, consequence] : [alternative];
}

/** True if one of the schemas names the member or the item. */
export function isEvaluated(at: At, schemas: readonly JsonObject[], key: string | number): boolean {
  return schemas.some((schema) => {
    at.check.spend(4);
    const rest = typeof key === 'string' ? 'unevaluatedProperties' : 'unevaluatedItems';
    if (schema !== at.schema && Object.hasOwn(schema, rest)) return true;
    return typeof key === 'string' ? namesMember(at, schema, key) : namesItem(at, schema, key);
  });
}

function namesMember({ check }: At, schema: JsonObject, name: string): boolean {
  const { properties, patternProperties, additionalProperties } = schema;
  return (
    additionalProperties !== undefined ||
    memberOf(properties, name) !== undefined ||
    check.namesIn(patternProperties).some((source) => check.matches(source, name))
  );
}

function namesItem({ check, value, place }: At, schema: JsonObject, index: number): boolean {
  const { prefixItems, items, additionalItems, contains } = schema;
  const first = [prefixItems, items].find((list) => Array.isArray(list)) ?? [];
  if (index < first.length) return true;
  if (items !== undefined && !Array.isArray(items)) return true;
  if (Array.isArray(items) && additionalItems !== undefined) return true;
  if (contains === undefined) return false;
  const item = (value as readonly Json[])[index] as Json;
  return check.firstAt(contains, item, place) === undefined;
}
