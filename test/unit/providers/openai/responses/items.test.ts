// Pure: no server.
import fc from 'fast-check';
import type { JsonObject } from '../../../../../src/base/json';
import type { AssistantPart } from '../../../../../src/protocol/message';
import { toModelResponse } from '../../../../../src/providers/openai/responses/call-responses';
import { fromResponsesOutput } from '../../../../../src/providers/openai/responses/items';
import { toResponsesInput } from '../../../../../src/providers/openai/responses/to-responses-request';
import { responsesOrigin as origin, streamedResponse, target } from '../openai-fixtures';

const context = { origin, target, requestId: 'req_9', firstCall: 0 };
const sealed = (data: JsonObject): object => ({
  sealed: { api: 'openai-responses', model: 'gpt-5-mini', data },
});

function echo(parts: readonly AssistantPart[]): unknown {
  return toResponsesInput([{ role: 'assistant', origin, parts }]);
}

describe('fromResponsesOutput', () => {
  it('turns reasoning, commentary and parallel calls into parts', () => {
    const { finished } = streamedResponse('responses-reasoning-and-calls');

    expect(toModelResponse(finished, context)).toEqual({
      content: [
        {
          type: 'reasoning',
          text: '**Looking up both cities**\n\nTwo calls can run at once.',
          ...sealed({
            id: 'rs_01',
            encrypted_content: 'gAAAAABpIBcd-opaque-ciphertext==',
            $summary: [26, 26],
          }),
        },
        {
          type: 'text',
          text: 'Let me look.',
          ...sealed({ message: { id: 'msg_01', phase: 'commentary' } }),
        },
        {
          type: 'tool_call',
          callId: 'call_aa',
          name: 'get_weather',
          args: { city: 'Paris' },
          ...sealed({ id: 'fc_01' }),
        },
        {
          type: 'tool_call',
          callId: 'call_bb',
          name: 'get_time',
          args: { city: 'Oslo', days: [1, 2] },
          ...sealed({ id: 'fc_02', spaced: true }),
        },
      ],
      usage: {
        inputTokens: 1200,
        outputTokens: 90,
        totalTokens: 1290,
        cacheReadTokens: 1024,
        cacheWriteTokens: 128,
        reasoningTokens: 64,
      },
      finishReason: 'tool_calls',
      origin,
      ids: { response: 'resp_0a1b', request: 'req_9' },
    });
  });

  it('reports an answer that the token limit cut', () => {
    const { finished } = streamedResponse('responses-incomplete');

    expect(toModelResponse(finished, context)).toMatchObject({
      content: [{ type: 'text', text: 'It is' }],
      finishReason: 'length',
    });
  });

  it('reports a refusal', () => {
    const { finished, deltas } = streamedResponse('responses-refusal');

    expect(toModelResponse(finished, context)).toMatchObject({
      content: [{ type: 'refusal', text: "I can't help with that." }],
      finishReason: 'refusal',
    });
    expect(deltas).toEqual([
      { kind: 'text', text: "I can't help " },
      { kind: 'text', text: 'with that.' },
    ]);
  });

  it('throws what failed inside a successful answer', () => {
    const { finished } = streamedResponse('responses-failed');

    expect(() => toModelResponse(finished, context)).toThrow(
      expect.objectContaining({ kind: 'rate_limited', retryable: true }) as Error,
    );
  });

  it.each(['queued', 'cancelled', 'in_progress'] as const)(
    'refuses a response that ends as %s',
    (status) => {
      const { finished } = streamedResponse('responses-refusal');
      const response = { ...finished.response, status };

      expect(() => toModelResponse({ ...finished, response }, context)).toThrow(
        expect.objectContaining({ kind: 'bad_response' }) as Error,
      );
    },
  );

  it.each<[string, JsonObject[]]>([
    ['a message with two blocks', [message([text('One.'), text('Two.')])]],
    ['two messages', [message([text('One.')]), message([text('Two.')], { id: 'msg_2' })]],
    [
      'a message with annotations',
      [message([text('See.', { annotations: [{ type: 'url_citation' }] })])],
    ],
    [
      'a message without log probabilities',
      [message([{ type: 'output_text', text: 'a', annotations: [] }])],
    ],
    ['a message that was cut', [message([text('It')], { status: 'incomplete' })]],
    ['a refusal beside text', [message([text('So:'), { type: 'refusal', refusal: 'No.' }])]],
    [
      'a message with an unknown block',
      [message([text('So:'), { type: 'output_hologram', data: 'x' }])],
    ],
    ['a message without blocks', [message([])]],
    [
      'empty reasoning',
      [{ type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'e' }, call('{}')],
    ],
    [
      'reasoning without a summary field',
      [{ type: 'reasoning', id: 'rs', encrypted_content: 'e' }, call('{}')],
    ],
    [
      'reasoning with an empty summary text',
      [{ type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: '' }] }, call('{}')],
    ],
    [
      'open reasoning',
      [
        {
          type: 'reasoning',
          id: 'rs',
          summary: [],
          content: [{ type: 'reasoning_text', text: 'Think.' }],
          status: 'completed',
        },
        call('{}'),
      ],
    ],
    [
      'reasoning with summary and content',
      [
        {
          type: 'reasoning',
          id: 'rs',
          summary: [{ type: 'summary_text', text: 'Short.' }],
          content: [{ type: 'reasoning_text', text: 'Long.' }],
        },
        call('{}'),
      ],
    ],
    ['a call whose arguments are compact', [call('{"city":"Paris","days":[1,2]}')]],
    ['a call whose arguments are spaced', [call('{"city": "Paris", "days": [1, 2], "o": {}}')]],
    ['a call whose arguments are odd', [call('{ "city":"Paris",\n"n":1.0 }')]],
    ['a call with repeated keys', [call('{"a":1,"a":2}')]],
    ['a call without arguments', [call('')]],
    ['a call with malformed arguments', [call('{"city":"Par')]],
    ['a call with arguments that are no object', [call('[1, 2]')]],
    ['a call with unknown fields', [call('{}', { namespace: 'crm', caller: { type: 'direct' } })]],
    [
      'a call without a status',
      [{ type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' }],
    ],
    ['a server tool', [{ type: 'web_search_call', id: 'ws_1', status: 'completed', action: {} }]],
    ['a compaction', [{ type: 'compaction', id: 'cmp_1', encrypted_content: 'e' }]],
  ])('gives %s back as it came', (_name, output) => {
    const parts = fromResponsesOutput(output, origin, 0);

    expect(echo(parts)).toEqual(output);
    expect(echo(JSON.parse(JSON.stringify(parts)) as AssistantPart[])).toEqual(output);
  });

  it('gives any function call back as it came', () => {
    const field = fc.record({
      status: fc.constantFrom('completed', 'incomplete'),
      x: fc.jsonValue(),
    });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        field,
        fc.boolean(),
        (args, extra, spaced) => {
          const given = JSON.stringify(args, null, spaced ? 1 : undefined);
          const wire = JSON.parse(JSON.stringify(extra)) as JsonObject;
          const output = [{ ...call(given), ...wire }];
          expect(echo(fromResponsesOutput(output, origin, 0))).toEqual(output);
        },
      ),
    );
  });

  it('numbers calls without an id', () => {
    const { call_id: _id, ...bare } = call('{}');
    const parts = fromResponsesOutput([bare, bare], origin, 3);

    expect(parts).toMatchObject([{ callId: 'call_3' }, { callId: 'call_4' }]);
  });

  it('drops what is no item', () => {
    expect(fromResponsesOutput([null, 'text', 7, [1]], origin, 0)).toEqual([]);
  });

  it('adds at most 80 bytes to what the provider sent of its own', () => {
    const { finished } = streamedResponse('responses-reasoning-and-calls');
    const own = [
      { id: 'rs_01', encrypted_content: 'gAAAAABpIBcd-opaque-ciphertext==' },
      { id: 'msg_01', phase: 'commentary' },
      { id: 'fc_01' },
      { id: 'fc_02' },
    ];
    const parts = fromResponsesOutput(finished.output, origin, 0);

    const added = parts.map(
      (part, index) => JSON.stringify(part.sealed).length - JSON.stringify(own[index]).length,
    );
    expect(Math.max(...added)).toBeLessThanOrEqual(80);
  });
});

function text(value: string, extra: JsonObject = {}): JsonObject {
  return { type: 'output_text', text: value, annotations: [], logprobs: [], ...extra };
}

function message(content: JsonObject[], extra: JsonObject = {}): JsonObject {
  return {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content,
    ...extra,
  };
}

function call(args: string, extra: JsonObject = {}): JsonObject {
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_weather' };
  return { ...item, arguments: args, status: 'completed', ...extra };
}
