// Pure: no server.
import type { StandardJSONSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { checkAgainst, forTools } from '../../../../src/core/schema/check-schema';
import { toolSchemaProblems } from '../../../../src/core/schema/schema-problem';
import {
  isStandardSchema,
  parseInputSchema,
  parseSchemaOption,
  type StandardSchema,
} from '../../../../src/define/arguments/emit';

type Standard = StandardSchema['~standard'] & {
  jsonSchema: Pick<StandardJSONSchemaV1.Converter, 'input'>;
};

function schemaOf(standard: Partial<Standard>, own: object = {}): StandardSchema {
  const validate = (value: unknown) => ({ value });
  return { '~standard': { version: 1, vendor: 'mine', validate, ...standard }, ...own };
}

const emitted = { type: 'object', properties: { a: { type: 'string' } } };

describe('parseSchemaOption', () => {
  it('writes what a zod schema accepts, not what it makes of it', () => {
    const schema = z.object({
      city: z.string().describe('Name of the city'),
      days: z.number().int().default(1),
      when: z.string().transform((text) => new Date(text)),
    });
    expect(parseSchemaOption(schema)).toEqual({
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
    expect(parseSchemaOption(schemaOf({ jsonSchema: { input } }))).toEqual({
      ok: true,
      schema: emitted,
    });
    expect(targets).toEqual(['draft-2020-12']);
  });

  it('keeps another draft named', () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...emitted };
    expect(parseSchemaOption(schemaOf({ jsonSchema: { input: () => schema } }))).toEqual({
      ok: true,
      schema,
    });
  });

  it("falls back to the schema's own method", () => {
    const own = {
      toJSONSchema: (options: object) => ({ ...emitted, title: JSON.stringify(options) }),
    };
    expect(parseSchemaOption(schemaOf({ vendor: 'zod' }, own))).toEqual({
      ok: true,
      schema: { ...emitted, title: '{"io":"input"}' },
    });
  });

  it('falls back to the package of zod', () => {
    const schema = z.object({ a: z.string() });
    const early = schemaOf({ vendor: 'zod' }, { _zod: schema._zod });
    expect(parseSchemaOption(early)).toEqual({
      ok: true,
      schema: { ...emitted, required: ['a'] },
    });
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
    expect(parseSchemaOption(schema)).toEqual({
      ok: false,
      problem: { path: '', message },
    });
  });
});

describe('parseSchemaOption, of the formats of zod', () => {
  it.each([
    ['duration', z.iso.duration(), 'P1D', '1 day'],
    ['hostname', z.hostname(), 'example.org', '-'],
    ['email', z.string().meta({ format: 'email', pattern: '^(?!x)' }), 'ada@example.org', 'ada'],
  ])('leaves out the look-ahead of %s: the format says it', (format, schema, right, wrong) => {
    const option = parseSchemaOption(schema);
    expect(option).toEqual({ ok: true, schema: { type: 'string', format } });
    const check = (text: string) => checkAgainst({ type: 'string', format }, text, forTools);
    expect([check(right), check(wrong)]).toMatchObject([[], [{ path: '' }]]);
  });

  const formats = {
    email: z.email(),
    html5Email: z.email({ pattern: z.regexes.html5Email }),
    rfc5322Email: z.email({ pattern: z.regexes.rfc5322Email }),
    uuid: z.uuid(),
    ipv4: z.ipv4(),
    ipv6: z.ipv6(),
    cidrv6: z.cidrv6(),
    datetime: z.iso.datetime({ offset: true }),
    base64: z.base64(),
    emoji: z.emoji(),
    text: z.string().startsWith('a').endsWith('b').includes('c').lowercase(),
  };

  it.each(Object.entries(formats))('takes %s', (_name, schema) => {
    const option = parseSchemaOption(schema);
    expect(option.ok && toolSchemaProblems(option.schema)).toEqual([]);
  });
});

describe('parseInputSchema', () => {
  const objectOf = (text: z.ZodType) => z.object({ text });

  it('fills in what the schema fills in', async () => {
    const { schema, validate, problems } = parseInputSchema(objectOf(z.string().default('x')));
    expect([schema.type, problems, await validate({})]).toEqual([
      'object',
      [],
      { ok: true, value: { text: 'x' } },
    ]);
    expect(await validate({ text: 1 })).toMatchObject({ ok: false, problems: [{ path: 'text' }] });
  });

  it('checks against a JSON Schema', async () => {
    const { validate } = parseInputSchema({ type: 'object', required: ['a'] });
    expect(await validate({ a: 1 })).toEqual({ ok: true, value: { a: 1 } });
    expect(await validate({})).toEqual({
      ok: false,
      problems: [{ path: 'a', message: 'is required' }],
    });
  });

  it.each<[string, unknown, string, string]>([
    ['text', 'x', '', 'must be a Standard Schema'],
    ['another type', { type: 'string' }, '', "not 'string'; put other values"],
    ['no type', {}, '', 'which is missing'],
    ['a wrong one', { type: 'object', required: 1 }, 'required', 'must be a list of texts, not 1'],
    ['no JSON', { type: 'object', a: new Map() }, 'a', 'must be JSON, not a Map'],
  ])('refuses %s', (_name, input, path, message) => {
    const { problems } = parseInputSchema(input);
    expect(problems).toEqual([{ path, message: expect.stringContaining(message) }]);
  });

  it('stops a schema that does not end, and takes one that waits', async () => {
    const endless = objectOf(z.string().refine((text) => /^a*a*a*a*a*$/.test(text)));
    const waiting = objectOf(z.string().refine(async (text) => Promise.resolve(text.length > 1)));
    const { validate } = parseInputSchema(endless);
    expect(await validate({ text: `${'a'.repeat(5_000)}!` })).toEqual({
      ok: false,
      problems: [{ path: '', message: expect.stringContaining('took more than 500 ms') }],
    });
    expect(await validate({ text: 'aaa' })).toMatchObject({ ok: true });
    const later = parseInputSchema(waiting).validate;
    expect(await later({ text: 'ab' })).toMatchObject({ ok: true });
    expect(await later({ text: 'a' })).toMatchObject({ ok: false });
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
