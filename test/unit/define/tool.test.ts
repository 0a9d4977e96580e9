// Pure: no server.
import { z } from 'zod';
import { defineTool, type Json } from '../../../src';
import { citySchema, refusalOf, toolContext } from './builders';

const minimal = {
  name: 'get_weather',
  description: 'Current weather of a city',
  inputSchema: citySchema,
  execute: () => 'sunny',
};

describe('defineTool', () => {
  it('keeps only what was given in the data', () => {
    const tool = defineTool(minimal);
    expect(tool.spec).toEqual({
      name: 'get_weather',
      description: 'Current weather of a city',
      inputSchema: citySchema,
    });
    expect(tool).toMatchObject({ kind: 'tool', name: 'get_weather', override: false });
  });

  it('writes every option into the data', () => {
    const tool = defineTool({
      ...minimal,
      effect: 'read',
      onError: 'fail',
      needsApproval: true,
      timeout: '90s',
      retry: {
        maximumAttempts: 3,
        initialInterval: '1s',
        backoffCoefficient: 1.5,
        maximumInterval: 60_000,
      },
      session: ['units'],
      maxResultBytes: 1024,
      override: true,
    });
    expect(tool.spec).toEqual({
      name: 'get_weather',
      description: 'Current weather of a city',
      inputSchema: citySchema,
      effect: 'read',
      onError: 'fail',
      needsApproval: true,
      timeoutMs: 90_000,
      retry: {
        maximumAttempts: 3,
        initialIntervalMs: 1_000,
        backoffCoefficient: 1.5,
        maximumIntervalMs: 60_000,
      },
      session: ['units'],
      maxResultBytes: 1024,
    });
    expect(tool.override).toBe(true);
  });

  it('may run inline, also if a function decides about approvals', () => {
    const options = { inline: true, effect: 'read', needsApproval: () => false } as const;
    expect(defineTool({ ...minimal, ...options }).spec).toMatchObject({
      inline: true,
      needsApproval: 'ask',
    });
  });

  it('leaves options that are undefined out', () => {
    const options = { timeout: undefined, retry: undefined, session: undefined };
    expect(defineTool({ ...minimal, ...options } as never).spec).toEqual(defineTool(minimal).spec);
  });

  it('writes an approval function as a question to the worker', async () => {
    const tool = defineTool<{ city: string }>({
      ...minimal,
      needsApproval: ({ city }) => city === 'Paris',
    });
    expect(tool.spec.needsApproval).toBe('ask');
    expect(await tool.needsApproval?.({ city: 'Paris' }, toolContext)).toBe(true);
  });

  it('runs its code', () => {
    const tool = defineTool<{ city: string }>({
      ...minimal,
      execute: ({ city }, { workflowId }) => `${city} ${workflowId}`,
    });
    expect(tool.execute({ city: 'Paris' }, toolContext)).toBe('Paris run-1');
  });

  it('cannot be changed, and does not freeze what it was given', () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } } };
    const tool = defineTool({ ...minimal, inputSchema });
    expect(() => Object.assign(tool, { name: 'x' })).toThrow(TypeError);
    expect(() => Object.assign(tool.spec.inputSchema, { type: 'x' })).toThrow(TypeError);
    expect(Object.isFrozen(inputSchema.properties)).toBe(false);
  });

  const subject = "SpecError: Tool 'get_weather': ";
  const nameRule = "must be 1 to 64 letters, digits, '_' or '-', not";

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a name with a space',
      { name: 'get weather' },
      `SpecError: Tool 'get weather': name ${nameRule} 'get weather'`,
    ],
    [
      'a name that is too long',
      { name: 'x'.repeat(65) },
      `SpecError: Tool '${'x'.repeat(65)}': name ${nameRule} '${'x'.repeat(65)}'`,
    ],
    ['a name that is no text', { name: 7 }, `SpecError: A tool: name ${nameRule} 7`],
    [
      'the name __proto__',
      { name: '__proto__' },
      `SpecError: Tool '__proto__': name ${nameRule} '__proto__'`,
    ],
    [
      'no name',
      { name: undefined },
      "SpecError: A tool: name is required: 1 to 64 letters, digits, '_' or '-'",
    ],
    [
      'no description',
      { description: undefined },
      `${subject}description is required: a text that tells the model what the tool does`,
    ],
    [
      'a blank description',
      { description: ' ' },
      `${subject}description must be a text that tells the model what the tool does, not ' '`,
    ],
    [
      'no code',
      { execute: undefined },
      `${subject}execute is required: a function. Only a tool with result 'client' has none`,
    ],
    ['code that is none', { execute: 'rm' }, `${subject}execute must be a function, not 'rm'`],
    ['an unknown option', { parameters: {} }, `${subject}parameters is not known`],
    [
      'a mistyped option',
      { needApproval: true },
      `${subject}needApproval is not known; did you mean 'needsApproval'?`,
    ],
    [
      'a wrong effect',
      { effect: 'write' },
      `${subject}effect must be one of 'read', 'idempotent', 'once', not 'write'`,
    ],
    [
      'a wrong onError',
      { onError: true },
      `${subject}onError must be one of 'return', 'fail', not true`,
    ],
    [
      'a wrong approval',
      { needsApproval: 'yes' },
      `${subject}needsApproval must be true, false, a function (args, context) => boolean, or an object of rules, not 'yes'`,
    ],
    ['a wrong override', { override: 1 }, `${subject}override must be true or false, not 1`],
    [
      'a timeout without unit',
      { timeout: '90' },
      `${subject}timeout must be a duration such as '90s', '15 minutes' or '3 days', or a number of milliseconds, not '90'`,
    ],
    ['a timeout of nothing', { timeout: 0 }, `${subject}timeout must be more than 0, not 0`],
    ['a retry that is no object', { retry: 3 }, `${subject}retry must be an object, not 3`],
    [
      'an unknown retry option',
      { retry: { maxAttempts: 3 } },
      `${subject}retry.maxAttempts is not known; did you mean 'maximumAttempts'?`,
    ],
    [
      'no attempt',
      { retry: { maximumAttempts: 0 } },
      `${subject}retry.maximumAttempts must be a whole number from 1 to 10000, not 0`,
    ],
    [
      'a shrinking backoff',
      { retry: { backoffCoefficient: 0.5 } },
      `${subject}retry.backoffCoefficient must be a number of at least 1, not 0.5`,
    ],
    [
      'a longest interval below the first',
      { retry: { maximumInterval: '500ms' } },
      `${subject}retry.maximumInterval must not be shorter than the initial interval of 1000 ms`,
    ],
    [
      'retries of what runs once',
      { effect: 'once', retry: { maximumAttempts: 2 } },
      `${subject}retry contradicts effect 'once', which runs one attempt: remove one of the two`,
    ],
    [
      'once inline',
      { inline: true, effect: 'once' },
      `${subject}inline contradicts effect 'once': an inline call that does not finish is made again; remove one of the two`,
    ],
    [
      'one attempt inline',
      { inline: true, retry: { maximumAttempts: 1 } },
      `${subject}inline contradicts maximumAttempts: 1: an inline call that does not finish is made again; remove one of the two`,
    ],
    [
      'approvals inline',
      { inline: true, needsApproval: true },
      `${subject}inline contradicts needsApproval: true: a call that waits for a person does not run inline; remove one of the two`,
    ],
    [
      'session keys that are no array',
      { session: 'units' },
      `${subject}session must be an array of session keys, not 'units'`,
    ],
    [
      'a reserved session key',
      { session: ['__ancestors'] },
      `${subject}session[0] must not be '__ancestors': that key is reserved`,
    ],
    [
      'a dangerous session key',
      { session: ['a', 'constructor'] },
      `${subject}session[1] must not be 'constructor': that key is reserved`,
    ],
    [
      'a session key twice',
      { session: ['a', 'a'] },
      `${subject}session[1] lists 'a' a second time`,
    ],
    [
      'a session key that is no text',
      { session: [''] },
      `${subject}session[0] must be a session key of 1 to 200 characters, not an empty string`,
    ],
    [
      'too large results',
      { maxResultBytes: 1_000_000 },
      `${subject}maxResultBytes must be a whole number from 1 to 262144, not 1000000`,
    ],
    [
      'no schema',
      { inputSchema: undefined },
      `${subject}inputSchema must be a Standard Schema (zod, valibot, …) or a JSON Schema object, not undefined`,
    ],
    [
      'a schema of text',
      { inputSchema: z.string() },
      `${subject}inputSchema must describe an object: its top level needs type 'object', not 'string'; put other values into a property`,
    ],
    [
      'a schema of a union',
      { inputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
      `${subject}inputSchema must describe an object: its top level needs type 'object', which is missing; put other values into a property`,
    ],
    [
      'a JSON Schema without type',
      { inputSchema: { properties: {} } },
      `${subject}inputSchema must describe an object: its top level needs type 'object', which is missing; put other values into a property`,
    ],
    [
      'a JSON Schema that is no JSON',
      { inputSchema: { type: 'object', default: new Date(0) } },
      `${subject}inputSchema.default must be JSON, not a Date`,
    ],
    [
      'a wrong JSON Schema',
      { inputSchema: { type: 'object', required: 'city' } },
      `${subject}inputSchema.required must be a list of texts, not 'city'`,
    ],
    [
      'a pattern with look-ahead',
      { inputSchema: { type: 'object', properties: { a: { pattern: '^(?=a)' } } } },
      `${subject}inputSchema.properties.a.pattern uses look-ahead or look-behind; write it without, or check it in code: '^(?=a)'`,
    ],
    [
      'a schema no JSON can hold',
      { inputSchema: z.object({ when: z.date() }) },
      `${subject}inputSchema cannot be written as JSON Schema (Date cannot be represented in JSON Schema): pass a JSON Schema object instead`,
    ],
  ])('refuses %s', (_name, options, message) => {
    expect(refusalOf(() => defineTool({ ...minimal, ...options } as never))).toBe(message);
  });

  it.each<[what: string, given: object, message: RegExp]>([
    ['no list', { accepts: {} }, /accepts must be/],
    ['no upgrade', { accepts: [{ schema: { type: 'object' } }] }, /accepts\[0\]\.upgrade/],
    ['no object', { accepts: [{ schema: { type: 'string' }, upgrade: () => ({}) }] }, /object/],
    [
      'no code',
      { accepts: [], result: 'client', execute: undefined },
      /accepts contradicts result/,
    ],
  ])('refuses earlier versions with %s', (_, given, message) => {
    const inputSchema = { type: 'object' };
    const options = { name: 'pay', description: 'Pays', inputSchema, execute: () => 1, ...given };
    expect(() => defineTool(options as never)).toThrow(message);
  });

  it('refuses what is no definition', () => {
    expect(refusalOf(() => defineTool(undefined as never))).toBe(
      'SpecError: A tool: must be a plain object of options, not undefined',
    );
  });
});

describe('validateArguments', () => {
  const byJsonSchema = defineTool(minimal);
  const byZod = defineTool({
    ...minimal,
    inputSchema: z.object({
      city: z.string().transform((city) => city.toUpperCase()),
      days: z.number().default(1),
      places: z.array(z.object({ name: z.string() })).optional(),
    }),
  });

  it('gives arguments back that match a JSON Schema', async () => {
    expect(await byJsonSchema.validateArguments({ city: 'Paris' })).toEqual({
      ok: true,
      value: { city: 'Paris' },
    });
  });

  it('gives back what a Standard Schema makes of the arguments', async () => {
    expect(await byZod.validateArguments({ city: 'Paris' })).toEqual({
      ok: true,
      value: { city: 'PARIS', days: 1 },
    });
  });

  it.each<[string, Json, string, string]>([
    ['text', 'Paris', '', "must be an object, not 'Paris'"],
    ['null', null, '', 'must be an object, not null'],
    ['nothing', {}, 'city', 'is required'],
    ['too much', { city: 'Paris', day: 1 }, 'day', 'is not allowed'],
    ['a number', { city: 75000 }, 'city', 'must be a string, not 75000'],
  ])('refuses %s by JSON Schema', async (_name, args, path, message) => {
    expect(await byJsonSchema.validateArguments(args)).toEqual({
      ok: false,
      problems: [{ path, message }],
    });
  });

  it('refuses arguments by Standard Schema', async () => {
    expect(await byZod.validateArguments({ days: 'x', places: [{}] })).toEqual({
      ok: false,
      problems: [
        { path: 'city', message: 'Invalid input: expected string, received undefined' },
        { path: 'days', message: 'Invalid input: expected number, received string' },
        { path: 'places[0].name', message: 'Invalid input: expected string, received undefined' },
      ],
    });
  });

  it('never throws', async () => {
    const inputSchema = z.object({ city: z.string() }).refine(() => {
      throw new Error('broken rule');
    });
    const tool = defineTool({ ...minimal, inputSchema });
    expect(await tool.validateArguments({ city: 'x' })).toEqual({
      ok: false,
      problems: [{ path: '', message: 'broken rule' }],
    });
  });
});
