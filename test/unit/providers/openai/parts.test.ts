// Pure: no server.
import { z } from 'zod';
import type { JsonSchema } from '../../../../src/base/json';
import { isStrictSchema } from '../../../../src/providers/openai/parts';

const city = { type: 'string' };
const closed = {
  type: 'object',
  properties: { city },
  required: ['city'],
  additionalProperties: false,
};
const nested = (depth: number): JsonSchema =>
  depth === 0 ? closed : { ...closed, properties: { city: nested(depth - 1) } };

describe('isStrictSchema', () => {
  it.each<[string, JsonSchema, boolean]>([
    ['a closed object', closed, true],
    ['an object without properties', { ...closed, properties: {}, required: [] }, true],
    [
      'what zod makes',
      z.toJSONSchema(z.strictObject({ a: z.string().nullable() })) as JsonSchema,
      true,
    ],
    [
      'a list of closed objects',
      { ...closed, properties: { city: { type: 'array', items: closed } } },
      true,
    ],
    ['closed definitions', { ...closed, $defs: { town: closed } }, true],
    ['an open object', { ...closed, additionalProperties: true }, false],
    [
      'an object that says nothing of more',
      { type: 'object', properties: { city }, required: ['city'] },
      false,
    ],
    ['an optional property', { ...closed, required: [] }, false],
    [
      'an optional property of zod',
      z.toJSONSchema(z.object({ a: z.string().optional() })) as JsonSchema,
      false,
    ],
    ['an open object inside', { ...closed, properties: { city: { type: 'object' } } }, false],
    [
      'an open object in a choice',
      { ...closed, properties: { city: { anyOf: [city, { type: 'object' }] } } },
      false,
    ],
    ['an open definition', { ...closed, $defs: { town: { type: 'object' } } }, false],
    ['a list at the root', { type: 'array', items: city }, false],
    ['a choice at the root', { ...closed, anyOf: [closed] }, false],
    [
      'a keyword it does not know',
      { ...closed, properties: { city: { ...city, minLength: 1 } } },
      false,
    ],
    [
      'a format it does not know',
      { ...closed, properties: { city: { ...city, format: 'uri' } } },
      false,
    ],
    ['a schema that is true', { ...closed, properties: { city: true } }, false],
    ['ten levels', nested(9), true],
    ['a schema too deep', nested(10), false],
  ])('judges %s', (_name, schema, expected) => {
    expect(isStrictSchema(schema)).toBe(expected);
  });
});
