// Pure: no server.
import fc from 'fast-check';
import type { ToolContent } from '../../../src/protocol/message';
import {
  checkToolArguments,
  differenceOf,
  mergeExtra,
  parseToolArguments,
  sealedField,
  toolResultText,
  withDifference,
} from '../../../src/providers/wire';
import { fromMessagesUsage } from '../../../src/providers/anthropic/message-accumulator';
import { fromUsageMetadata } from '../../../src/providers/google/from-response';
import { fromOpenAiUsage } from '../../../src/providers/openai/call';
import { noUsage } from '../core/builders';
import type { JsonObject } from '../../../src/base/json';

const result = { type: 'tool_result', callId: 'call_1', name: 'get_weather' } as const;

describe('toolResultText', () => {
  it.each<[string, ToolContent[], string]>([
    ['a text as it is', [{ type: 'text', text: 'Sunny "24"' }], 'Sunny "24"'],
    ['a value as JSON', [{ type: 'json', value: { degrees: [24] } }], '{"degrees":[24]}'],
    ['a JSON string in quotes', [{ type: 'json', value: 'Sunny' }], '"Sunny"'],
    [
      'several contents on lines of their own',
      [
        { type: 'text', text: 'one' },
        { type: 'json', value: 2 },
      ],
      'one\n2',
    ],
    [
      'a note in place of media',
      [{ type: 'media', mediaType: 'image/png', source: { kind: 'url', url: 'https://x' } }],
      '[image/png https://x] (this model does not take it)',
    ],
    ['nothing', [], ''],
  ])('writes %s', (_name, content, expected) => {
    expect(toolResultText({ ...result, isError: false, content }, { errorFlag: false })).toBe(
      expected,
    );
  });

  it('marks an error only for an API without a flag', () => {
    const failed = { ...result, isError: true, content: [{ type: 'text' as const, text: 'no' }] };

    expect(toolResultText(failed, { errorFlag: false })).toBe('Error: no');
    expect(toolResultText(failed, { errorFlag: true })).toBe('no');
  });
});

const origin = { provider: 'openai', api: 'openai-chat', model: 'gpt-5-mini' };

describe('differenceOf', () => {
  it.each([
    ['nothing for the same block', { type: 'text', text: 'a' }, { type: 'text', text: 'a' }, {}],
    ['what is added', { type: 'text', id: '1' }, { type: 'text' }, { id: '1' }],
    ['what is different', { status: 'cut' }, { status: 'completed' }, { status: 'cut' }],
    ['what is missing', { a: 1 }, { a: 1, b: [] }, { $absent: ['b'] }],
  ])('keeps %s', (_name, block, projection, expected) => {
    expect(differenceOf(block, projection)).toEqual(expected);
  });

  it('gives any block back', () => {
    const block = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue());
    fc.assert(
      fc.property(block, block, (original, projection) => {
        const wire = JSON.parse(JSON.stringify(original)) as Record<string, never>;
        const neutral = JSON.parse(JSON.stringify(projection)) as Record<string, never>;
        expect(withDifference(neutral, differenceOf(wire, neutral))).toEqual(wire);
      }),
    );
  });
});

describe('sealedField', () => {
  it('is left out when there is nothing to keep', () => {
    expect(sealedField(origin, {})).toEqual({});
    expect(sealedField(origin, { id: 'x' })).toEqual({
      sealed: { api: 'openai-chat', model: 'gpt-5-mini', data: { id: 'x' } },
    });
  });
});

describe('a count that is none', () => {
  const bad = [{ value: '12' }, { value: -2 }, { value: Number.NaN }, { value: {} }];

  it.each(bad)('is not known, whoever tells it: $value', ({ value }) => {
    const anthropic = {
      input_tokens: value,
      output_tokens: value,
      cache_read_input_tokens: value,
      output_tokens_details: { thinking_tokens: value },
    };
    const google = {
      promptTokenCount: value,
      candidatesTokenCount: value,
      thoughtsTokenCount: value,
      totalTokenCount: value,
      cachedContentTokenCount: value,
    };
    const openAi = { prompt_tokens: value, completion_tokens: value, total_tokens: value };
    expect(fromMessagesUsage(anthropic as never)).toEqual(noUsage);
    expect(fromUsageMetadata(google as never)).toEqual(noUsage);
    expect(fromOpenAiUsage(openAi)).toEqual(noUsage);
  });

  it('leaves the others', () => {
    const usage = { input_tokens: 3, cache_read_input_tokens: '4', output_tokens: 5 };
    expect(fromMessagesUsage(usage as never)).toMatchObject({
      inputTokens: 3,
      outputTokens: 5,
      totalTokens: 8,
    });
    const metadata = { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: '8' };
    expect(fromUsageMetadata(metadata as never)).toMatchObject({
      inputTokens: 3,
      outputTokens: 5,
      totalTokens: 8,
    });
  });
});

describe('parseToolArguments', () => {
  it.each([
    ['an object', '{"city":"Paris","days":[1,2]}', { city: 'Paris', days: [1, 2] }],
    ['spaces', ' {"a" : 1} ', { a: 1 }],
    ['nothing', '', {}],
    ['blanks', ' \n', {}],
    ['an undefined text', undefined, {}],
    ['a null text', null, {}],
  ])('reads %s', (_name, text, args) => {
    expect(parseToolArguments(text)).toEqual({ args });
  });

  it.each([
    ['[1]', 'must be a JSON object, not an array'],
    ['null', 'must be a JSON object, not null'],
    ['"Paris"', 'must be a JSON object, not a string'],
    ['3', 'must be a JSON object, not a number'],
    [`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`, 'nested deeper than 200 levels'],
    [`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'nested deeper than 200 levels'],
  ])('keeps the text of what is no usable object: %s', (text, argsError) => {
    expect(parseToolArguments(text)).toEqual({ args: null, rawArgs: text, argsError });
  });

  it('keeps the text of what is not JSON and says where it breaks', () => {
    expect(parseToolArguments('{"city":"Par')).toEqual({
      args: null,
      rawArgs: '{"city":"Par',
      argsError: expect.stringMatching(/^not valid JSON: /) as string,
    });
  });

  it('does not throw on ten thousand unclosed levels', () => {
    expect(parseToolArguments('{"a":'.repeat(10_000))).toMatchObject({ args: null });
  });

  it('keeps __proto__ as a plain key', () => {
    const { args } = parseToolArguments('{"__proto__":{"admin":true}}');

    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect((args as { admin?: boolean }).admin).toBeUndefined();
    expect(JSON.stringify(args)).toBe('{"__proto__":{"admin":true}}');
  });
});

describe('checkToolArguments', () => {
  it.each([
    [{ city: 'Paris' }, { args: { city: 'Paris' } }],
    ['{"city":"Paris"}', { args: { city: 'Paris' } }],
    [undefined, { args: {} }],
    [null, { args: {} }],
    [[1], { args: null, rawArgs: '[1]', argsError: 'must be a JSON object, not an array' }],
    [7, { args: null, rawArgs: '7', argsError: 'must be a JSON object, not a number' }],
  ])('takes %j', (value, expected) => {
    expect(checkToolArguments(value)).toEqual(expected);
  });
});

describe('mergeExtra', () => {
  it.each<[string, JsonObject, JsonObject | undefined, JsonObject]>([
    ['nothing', { a: 1 }, undefined, { a: 1 }],
    ['a new field', { a: 1 }, { top_p: 0.5 }, { a: 1, top_p: 0.5 }],
    ['a field that is set', { a: 1 }, { a: 2 }, { a: 2 }],
    [
      'an object',
      { text: { format: 1 } },
      { text: { verbosity: 'low' } },
      { text: { format: 1, verbosity: 'low' } },
    ],
    ['a list', { tools: [1] }, { tools: [2] }, { tools: [1, 2] }],
    ['null', { store: false, a: 1 }, { store: null }, { a: 1 }],
    ['an object over a value', { a: 1 }, { a: { b: { c: null, d: 1 } } }, { a: { b: { d: 1 } } }],
  ])('merges %s', (_name, body, extra, expected) => {
    expect(mergeExtra(body, extra)).toEqual(expected);
  });

  it('leaves the body it was given alone', () => {
    const body = { text: { format: 1 } };
    mergeExtra(body, { text: { format: 2 } });

    expect(body).toEqual({ text: { format: 1 } });
  });

  it('does not touch the prototype', () => {
    const extra = JSON.parse('{"__proto__":{"polluted":true}}') as JsonObject;
    const merged = mergeExtra({ a: 1 }, extra);

    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
