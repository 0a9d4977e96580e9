// Pure: no server.
import { z } from 'zod';
import { isStandardSchema, type StandardSchema } from '../../../src/spec/standard-schema';
import { toJsonSchema } from '../../../src/spec/to-json-schema';

type Standard = StandardSchema['~standard'];

function schemaOf(standard: Partial<Standard>, own: object = {}): StandardSchema {
  const validate = (value: unknown) => ({ value });
  return { '~standard': { version: 1, vendor: 'mine', validate, ...standard }, ...own };
}

const emitted = { type: 'object', properties: { a: { type: 'string' } } };

describe('toJsonSchema', () => {
  it('writes what a zod schema accepts, not what it makes of it', () => {
    const schema = z.object({
      city: z.string().describe('Name of the city'),
      days: z.number().int().default(1),
      when: z.string().transform((text) => new Date(text)),
    });
    expect(toJsonSchema(schema)).toEqual({
      ok: true,
      schema: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'Name of the city' },
          days: {
            type: 'integer',
            default: 1,
            minimum: Number.MIN_SAFE_INTEGER,
            maximum: Number.MAX_SAFE_INTEGER,
          },
          when: { type: 'string' },
        },
        required: ['city', 'when'],
      },
    });
  });

  it('asks the Standard JSON Schema extension for draft 2020-12', () => {
    const targets: string[] = [];
    const input = ({ target }: { target: string }) => {
      targets.push(target);
      return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...emitted };
    };
    expect(toJsonSchema(schemaOf({ jsonSchema: { input } }))).toEqual({
      ok: true,
      schema: emitted,
    });
    expect(targets).toEqual(['draft-2020-12']);
  });

  it('keeps another draft named', () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...emitted };
    expect(toJsonSchema(schemaOf({ jsonSchema: { input: () => schema } }))).toEqual({
      ok: true,
      schema,
    });
  });

  it("falls back to the schema's own method", () => {
    const own = {
      toJSONSchema: (options: object) => ({ ...emitted, title: JSON.stringify(options) }),
    };
    expect(toJsonSchema(schemaOf({ vendor: 'zod' }, own))).toEqual({
      ok: true,
      schema: { ...emitted, title: '{"io":"input"}' },
    });
  });

  it('falls back to the package of zod', () => {
    const schema = z.object({ a: z.string() });
    const early = schemaOf({ vendor: 'zod' }, { _zod: schema._zod });
    expect(toJsonSchema(early)).toEqual({ ok: true, schema: { ...emitted, required: ['a'] } });
  });

  it.each([
    [
      'of zod 3',
      schemaOf({ vendor: 'zod' }),
      "is a schema of zod 3, which cannot emit JSON Schema: use zod 4 (import { z } from 'zod/v4') or pass a JSON Schema object instead",
    ],
    [
      'of valibot alone',
      schemaOf({ vendor: 'valibot' }),
      'is a valibot schema that cannot emit JSON Schema: wrap it with toStandardJsonSchema of @valibot/to-json-schema, or pass a JSON Schema object instead',
    ],
    [
      'of a library without JSON Schema',
      schemaOf({}),
      'is a mine schema that cannot emit JSON Schema: pass a JSON Schema object instead',
    ],
    [
      'that fails to emit',
      schemaOf({
        jsonSchema: {
          input: () => {
            throw new Error('unsupported');
          },
        },
      }),
      'cannot be written as JSON Schema (unsupported): pass a JSON Schema object instead',
    ],
    [
      'that emits no JSON',
      schemaOf({ jsonSchema: { input: () => ({ default: new Map() }) } }),
      'emits no JSON Schema: default must be JSON, not a Map',
    ],
    [
      'that emits no object',
      schemaOf({ jsonSchema: { input: () => true as never } }),
      'emits no JSON Schema object: pass a JSON Schema object instead',
    ],
  ])('says what to do about a schema %s', (_name, schema, message) => {
    expect(toJsonSchema(schema)).toEqual({ ok: false, message });
  });
});

describe('isStandardSchema', () => {
  it.each([
    ['a zod schema', z.string(), true],
    ['a schema that is a function', Object.assign(() => true, schemaOf({})), true],
    ['a JSON Schema', emitted, false],
    ['null', null, false],
    ['text', 'x', false],
  ])('tells %s', (_name, value, expected) => {
    expect(isStandardSchema(value)).toBe(expected);
  });
});
