// The rules of keywords for the items of a list and the members of an object. Pure.

import {
  canonicalJson,
  didYouMean,
  isJsonObject,
  type Json,
  type JsonObject,
  quote,
} from '../../base';
import { isEvaluated, schemasFor } from './evaluated';
import { type At, collected, listed, memberOf, nothing, textOf } from './rules';
import type { Found, Rule, Rules } from './rules';
import { count, countRule } from './value-rules';

/** Names that a wrong one is compared with. */
const mostCompared = 1_000;

const itemsOf = ({ value }: At): readonly Json[] => (Array.isArray(value) ? value : []);

/** The schemas of the first items: `prefixItems`, or the list of draft-07. */
const prefixOf = ({ schema: { prefixItems, items } }: At): readonly Json[] =>
  [prefixItems, items].find((list) => Array.isArray(list)) ?? [];

const inside = (
  { check, place }: At,
  schema: Json | undefined,
  [key, value]: readonly [key: string | number, value: Json],
) => check.at(schema, value, { above: place, key });

const restItems: Rule = (schema, at) => {
  const from = prefixOf(at).length;
  const rest = from === 0 ? itemsOf(at) : itemsOf(at).slice(from);
  return collected(at, rest, (item, index) => inside(at, schema, [from + index, item]));
};

const firstItems: Rule = (schemas, at) =>
  collected(at, itemsOf(at).slice(0, listed(schemas).length), (item, index) =>
    inside(at, listed(schemas)[index], [index, item]),
  );

export const arrayRules: Rules = {
  prefixItems: firstItems,
  items: (schema, at) => (Array.isArray(schema) ? firstItems : restItems)(schema, at),
  additionalItems: (schema, at) =>
    Array.isArray(at.schema['items']) ? restItems(schema, at) : nothing,
  unevaluatedItems: (schema, at) => {
    const schemas = schemasFor(at);
    return collected(at, itemsOf(at), (item, index) =>
      isEvaluated(at, schemas, index) ? nothing : inside(at, schema, [index, item]),
    );
  },
  minItems: countRule('at least', 'items', (at) => itemsOf(at).length),
  maxItems: countRule('at most', 'items', (at) => itemsOf(at).length),
  contains: (schema, at) => {
    const { minContains = 1, maxContains = Infinity } = at.schema;
    const met = itemsOf(at).filter(
      (item) => at.check.firstAt(schema, item, at.place) === undefined,
    );
    const isFew = met.length < Number(minContains);
    const message = (): string => {
      const bound = isFew ? `at least ${textOf(minContains)}` : `at most ${textOf(maxContains)}`;
      return `must have ${bound} of the items that 'contains' describes, not ${met.length}`;
    };
    return count(!isFew && met.length <= Number(maxContains), at, message);
  },
  uniqueItems: (isUnique, at) => (isUnique === true ? twins(at) : nothing),
};

function twins(at: At): readonly Found[] {
  const seen = new Map<string, number>();
  for (const [index, item] of itemsOf(at).entries()) {
    const text = canonicalJson(item);
    // Writing the text costs more than reading it.
    at.check.spend(8 + 5 * text.length);
    const twin = seen.get(text);
    if (twin !== undefined)
      return count(false, at, () => `must not hold an item twice, as at [${twin}] and [${index}]`);
    seen.set(text, index);
  }
  return nothing;
}

const membersOf = ({ value }: At): JsonObject => (isJsonObject(value) ? value : {});
const namesOf = ({ check, value }: At): readonly string[] => check.namesIn(value);

/** Checks the members that a map of schemas names. */
const namedMembers: Rule = (schemas, at) => {
  const [named, own] = [at.check.namesIn(schemas), namesOf(at)];
  return collected(at, own.length < named.length ? own : named, (name) => {
    at.check.spend(2);
    const [schema, member] = [memberOf(schemas, name), memberOf(at.value, name)];
    const isBoth = schema !== undefined && member !== undefined;
    return isBoth ? inside(at, schema, [name, member]) : nothing;
  });
};

/** Checks what is required if a member is there. */
const dependents: Rule = (needs, at) =>
  collected(at, at.check.namesIn(needs), (name) => {
    at.check.spend(2);
    if (memberOf(at.value, name) === undefined) return nothing;
    const need = memberOf(needs, name);
    if (!Array.isArray(need)) return at.check.at(need, at.value, at.place);
    return missing(need, at, () => `is required, because ${quote(name)} is there`);
  });

const missing = (names: Json, at: At, message: () => string): readonly Found[] =>
  collected(at, listed(names), (name) => {
    at.check.spend(2);
    const key = textOf(name);
    if (memberOf(at.value, key) !== undefined) return nothing;
    return [{ place: { above: at.place, key }, message }];
  });

export const objectRules: Rules = {
  required: (names, at) => missing(names, at, () => 'is required'),
  properties: namedMembers,
  patternProperties: (schemas, at) =>
    collected(at, namesOf(at), (name) =>
      collected(at, at.check.namesIn(schemas), (source) =>
        at.check.matches(source, name)
          ? inside(at, memberOf(schemas, source), [name, membersOf(at)[name] as Json])
          : nothing,
      ),
    ),
  additionalProperties: (schema, at) => {
    const { properties, patternProperties } = at.schema;
    const patterns = at.check.namesIn(patternProperties);
    return collected(at, namesOf(at), (name) => {
      at.check.spend(2);
      const isNamed =
        memberOf(properties, name) !== undefined ||
        patterns.some((source) => at.check.matches(source, name));
      return isNamed ? nothing : additionalMember(schema, at, name);
    });
  },
  unevaluatedProperties: (schema, at) => {
    const schemas = schemasFor(at);
    return collected(at, namesOf(at), (name) =>
      isEvaluated(at, schemas, name) ? nothing : additionalMember(schema, at, name),
    );
  },
  propertyNames: (schema, at) =>
    collected(at, namesOf(at), (name) => {
      const first = at.check.firstAt(schema, name, undefined);
      if (first === undefined) return nothing;
      const message = (): string => `is not a valid name: it ${first.message()}`;
      return [{ place: { above: at.place, key: name }, message }];
    }),
  minProperties: countRule('at least', 'properties', (at) => namesOf(at).length),
  maxProperties: countRule('at most', 'properties', (at) => namesOf(at).length),
  dependentRequired: dependents,
  dependentSchemas: dependents,
  dependencies: dependents,
};

/** A name that is not allowed may be a misspelled one. */
function additionalMember(schema: Json, at: At, key: string): readonly Found[] {
  if (schema !== false) return inside(at, schema, [key, membersOf(at)[key] as Json]);
  const known = at.check.namesIn(at.schema['properties']).slice(0, mostCompared);
  const message = (): string => `is not allowed${didYouMean(key, known)}`;
  return [{ place: { above: at.place, key }, message }];
}
