// Pure: no server.
import type { ModelSettings } from '../../../../src/protocol/spec';
import {
  toGenerateRequest,
  toResponseSchema,
} from '../../../../src/providers/google/to-generate-request';
import type { RequestToolChoice } from '../../../../src/providers/provider';
import { user } from '../../core/builders';
import { aRequest } from './wire-builders';

const tool = {
  name: 'look',
  description: 'To look',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { city: { type: 'string', pattern: '^[A-Z]', default: 'Paris' } },
    allOf: [{ required: ['city'] }],
  },
};

describe('toGenerateRequest', () => {
  it('writes the whole body, tool schemas as they are', () => {
    const request = aRequest({ instructions: 'Be brief.', tools: [tool] });
    const { $schema: _dialect, ...parametersJsonSchema } = tool.inputSchema;

    expect(toGenerateRequest(request)).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [
        {
          functionDeclarations: [{ name: 'look', description: 'To look', parametersJsonSchema }],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    });
  });

  it('puts system messages of the history after the instructions', () => {
    const system = { role: 'system' as const, parts: [{ type: 'text' as const, text: 'Later.' }] };
    const request = aRequest({ instructions: 'First.', messages: [user('Hi'), system] });

    expect(toGenerateRequest(request)).toEqual({
      systemInstruction: { parts: [{ text: 'First.' }, { text: 'Later.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    });
  });

  it.each<[RequestToolChoice, object]>([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ only: ['look'] }, { mode: 'ANY', allowedFunctionNames: ['look'] }],
    [{ only: ['look', 'search'] }, { mode: 'ANY', allowedFunctionNames: ['look', 'search'] }],
    [{ only: [] }, { mode: 'NONE' }],
  ])('asks for tool choice %j', (toolChoice, functionCallingConfig) => {
    expect(toGenerateRequest(aRequest({ tools: [tool], toolChoice })).toolConfig).toEqual({
      functionCallingConfig,
    });
  });

  it.each<[string, ModelSettings, object]>([
    [
      'gemini-3-pro',
      { temperature: 0, maxOutputTokens: 500, stop: ['END'] },
      { temperature: 0, maxOutputTokens: 500, stopSequences: ['END'] },
    ],
    [
      'gemini-3-pro',
      { reasoning: { effort: 'high' } },
      { thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } },
    ],
    [
      'gemini-3-pro',
      { reasoning: { effort: 'none' } },
      { thinkingConfig: { includeThoughts: false, thinkingLevel: 'MINIMAL' } },
    ],
    [
      'gemini-2.5-flash',
      { reasoning: { effort: 'medium' } },
      { thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 } },
    ],
    [
      'gemini-2.5-flash',
      { reasoning: { effort: 'none' } },
      { thinkingConfig: { includeThoughts: false, thinkingBudget: 0 } },
    ],
    [
      'gemini-2.5-flash',
      { reasoning: { effort: 'low', budgetTokens: 512 } },
      { thinkingConfig: { includeThoughts: true, thinkingBudget: 512 } },
    ],
    ['gemini-3-pro', { extra: { generationConfig: { seed: 7 } } }, { seed: 7 }],
  ])('writes for %s the settings %j', (model, settings, generationConfig) => {
    expect(toGenerateRequest(aRequest({ model, settings })).generationConfig).toEqual(
      generationConfig,
    );
  });

  const output = {
    name: 'city',
    schema: { type: 'object', properties: { name: { type: 'string', minLength: 1 } } },
  };

  it.each([
    ['gemini-2.5-flash', []],
    ['gemini-3-pro', []],
    ['gemini-3-pro', [tool]],
  ])('asks %s natively for JSON', (model, tools) => {
    const body = toGenerateRequest(aRequest({ model, tools, output }));

    expect(body.generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    expect(body.systemInstruction).toBeUndefined();
  });

  it('asks in words where tools and an output schema exclude each other', () => {
    const body = toGenerateRequest(
      aRequest({ model: 'gemini-2.5-flash', tools: [tool], output, instructions: 'Be brief.' }),
    );

    expect(body.generationConfig).toBeUndefined();
    expect(body.systemInstruction?.parts?.map(({ text }) => text)).toEqual([
      'Be brief.',
      'Answer in the end with JSON alone, no other text around it, that matches this JSON Schema: ' +
        '{"type":"object","properties":{"name":{"type":"string","minLength":1}}}',
    ]);
  });

  it('merges extra into the body, the settings last', () => {
    const configured = { safetySettings: [], labels: { team: 'a' } };
    const settings = { extra: { labels: { run: 'b' }, tools: [{ googleSearch: {} }] } };
    const body = toGenerateRequest(aRequest({ tools: [tool], settings }), configured);

    expect(body).toMatchObject({ safetySettings: [], labels: { team: 'a', run: 'b' } });
    expect(body.tools?.[1]).toEqual({ googleSearch: {} });
  });
});

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
