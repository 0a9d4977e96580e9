// Pure: no server.
import { toResponseSchema } from '../../../../src/providers/google/to-generate-request';

describe('toResponseSchema', () => {
  it.each([
    {
      name: 'keeps the keywords the API takes, at every depth',
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        title: 'City',
        properties: {
          name: { type: 'string', minLength: 1, pattern: '^[A-Z]' },
          pattern: { type: 'string' },
          size: { type: 'integer', minimum: 0, exclusiveMaximum: 9 },
          tags: { type: 'array', items: { type: 'string', maxLength: 3 }, uniqueItems: true },
        },
        required: ['name'],
        additionalProperties: { type: 'number', multipleOf: 2 },
      },
      expected: {
        type: 'object',
        title: 'City',
        properties: {
          name: { type: 'string' },
          pattern: { type: 'string' },
          size: { type: 'integer', minimum: 0 },
          tags: { type: 'array', items: { type: 'string' } },
        },
        required: ['name'],
        additionalProperties: { type: 'number' },
      },
    },
    {
      name: 'keeps alternatives and positions',
      schema: { anyOf: [{ type: 'null' }, { prefixItems: [{ const: 1 }, { enum: ['a'] }] }] },
      expected: { anyOf: [{ type: 'null' }, { prefixItems: [{ enum: [1] }, { enum: ['a'] }] }] },
    },
    {
      name: 'says definitions as $defs',
      schema: {
        definitions: {
          node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } } },
        },
        $ref: '#/definitions/node',
      },
      expected: {
        $ref: '#/$defs/node',
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      },
    },
    {
      name: 'leaves booleans where schemas may be',
      schema: { type: 'object', additionalProperties: false },
      expected: { type: 'object', additionalProperties: false },
    },
  ])('$name', ({ schema, expected }) => {
    expect(toResponseSchema(schema)).toEqual(expected);
  });
});
