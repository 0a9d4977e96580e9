// What keywords of a schema say about the items of a list and the members of an object. Pure.

import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../base/json';
import type { At, Rule, Rules } from './rules';
import { collected, count, countRule, isMet, listed, textOf } from './value-rules';

const itemsOf = ({ value }: At): readonly Json[] => (Array.isArray(value) ? value : []);

/** The schemas of the first items: `prefixItems`, or the list of draft-07. */
const prefixOf = ({ schema: { prefixItems, items } }: At): readonly Json[] =>
  [prefixItems, items].find((list) => Array.isArray(list)) ?? [];

const restItems: Rule = (schema, at) => {
  const from = prefixOf(at).length;
  return collected(itemsOf(at).slice(from), (item, index) =>
    at.check.at(schema, item, [...at.path, from + index]),
  );
};

const firstItems: Rule = (schemas, { check, value, path }) =>
  collected(listed(value).slice(0, listed(schemas).length), (item, index) =>
    check.at(listed(schemas)[index], item, [...path, index]),
  );

export const arrayRules: Rules = {
  prefixItems: firstItems,
  items: (schema, at) => (Array.isArray(schema) ? firstItems : restItems)(schema, at),
  additionalItems: (schema, at) => (Array.isArray(at.schema['items']) ? restItems(schema, at) : []),
  minItems: countRule('at least', 'items', (at) => itemsOf(at).length),
  maxItems: countRule('at most', 'items', (at) => itemsOf(at).length),
  contains: (schema, at) => {
    const { minContains = 1, maxContains = Infinity } = at.schema;
    const met = itemsOf(at).filter((item) => isMet({ ...at, value: item }, schema)).length;
    const isRight = met >= Number(minContains) && met <= Number(maxContains);
    return count(isRight, at, `has ${met} items of the kind it must contain`);
  },
  uniqueItems: (isUnique, at) => {
    if (isUnique !== true) return [];
    const texts = itemsOf(at).map((item) => {
      const text = canonicalJson(item);
      // Writing it costs more than reading it.
      at.check.spend(text.length);
      return text;
    });
    return count(new Set(texts).size === texts.length, at, 'must not have an item twice');
  },
};

const membersOf = ({ value }: At): JsonObject => (isJsonObject(value) ? value : {});
const namesOf = (at: At): readonly string[] => Object.keys(membersOf(at));

const entriesOf = (value: Json): readonly [string, Json][] =>
  isJsonObject(value) ? Object.entries(value) : [];

const memberIn = (object: Json | undefined, name: string): Json | undefined =>
  isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined;

/** Checks the members that a map of schemas names. */
const namedMembers: Rule = (schemas, at) =>
  collected(entriesOf(schemas), ([name, schema]) => {
    at.check.spend(1);
    const member = memberIn(at.value, name);
    return member === undefined ? [] : at.check.at(schema, member, [...at.path, name]);
  });

/** What must be there, or must hold, if a member is there. */
const dependents: Rule = (needs, at) =>
  collected(entriesOf(needs), ([name, need]) => {
    at.check.spend(1);
    if (memberIn(at.value, name) === undefined) return [];
    return Array.isArray(need) ? required(need, at) : at.check.at(need, at.value, at.path);
  });

const required: Rule = (names, at) =>
  collected(listed(names), (name) => {
    at.check.spend(1);
    if (memberIn(at.value, textOf(name)) !== undefined) return [];
    return [{ path: [...at.path, textOf(name)], message: () => 'is required' }];
  });

export const objectRules: Rules = {
  required,
  properties: namedMembers,
  patternProperties: (schemas, at) =>
    collected(namesOf(at), (name) =>
      collected(entriesOf(schemas), ([source, schema]) =>
        at.check.matches(source, name)
          ? at.check.at(schema, memberIn(at.value, name) ?? null, [...at.path, name])
          : [],
      ),
    ),
  additionalProperties: (schema, at) => {
    const { properties, patternProperties = {} } = at.schema;
    return collected(namesOf(at), (name) => {
      at.check.spend(1);
      const isNamed =
        memberIn(properties, name) !== undefined ||
        Object.keys(patternProperties ?? {}).some((source) => at.check.matches(source, name));
      if (isNamed) return [];
      return at.check.at(schema, memberIn(at.value, name) ?? null, [...at.path, name]);
    });
  },
  propertyNames: (schema, at) =>
    collected(namesOf(at), (name) => at.check.at(schema, name, [...at.path, name])),
  minProperties: countRule('at least', 'members', (at) => namesOf(at).length),
  maxProperties: countRule('at most', 'members', (at) => namesOf(at).length),
  dependentRequired: dependents,
  dependentSchemas: dependents,
  dependencies: dependents,
};
