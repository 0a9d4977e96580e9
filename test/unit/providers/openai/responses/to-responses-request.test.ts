// Pure: no server.
import type { Message, ToolResult } from '../../../../../src/protocol/message';
import type { ModelRequest } from '../../../../../src/providers/provider';
import { fromResponsesOutput } from '../../../../../src/providers/openai/responses/items';
import { toResponsesRequest } from '../../../../../src/providers/openai/responses/to-responses-request';
import { user } from '../../../core/builders';
import {
  aRequest,
  foreignTurn,
  responsesOrigin as origin,
  streamedResponse,
} from '../openai-fixtures';

const closed = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const open = { type: 'object', properties: { city: { type: 'string' } } };
const tools = [
  { name: 'get_weather', description: 'Weather', inputSchema: closed },
  { name: 'get_time', description: 'Time', inputSchema: open },
];
const result = { type: 'tool_result', name: 'get_weather', isError: false } as const;

function inputOf(...messages: Message[]): unknown {
  return toResponsesRequest(aRequest({ messages })).input;
}

describe('toResponsesRequest', () => {
  it('makes one stateless, streamed, cached body', () => {
    const request = aRequest({
      instructions: 'Be brief.',
      tools,
      output: { name: 'my.agent: city', schema: closed },
      settings: {
        temperature: 0.3,
        maxOutputTokens: 500,
        stop: ['END'],
        reasoning: { effort: 'low', budgetTokens: 9 },
      },
    });

    expect(toResponsesRequest(request)).toEqual({
      model: 'gpt-5-mini',
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'Hi' }],
      tools: [
        {
          type: 'function',
          name: 'get_weather',
          description: 'Weather',
          parameters: closed,
          strict: true,
        },
        {
          type: 'function',
          name: 'get_time',
          description: 'Time',
          parameters: open,
          strict: false,
        },
      ],
      tool_choice: 'auto',
      text: {
        format: { type: 'json_schema', name: 'my_agent__city', schema: closed, strict: true },
      },
      reasoning: { effort: 'low' },
      max_output_tokens: 500,
      temperature: 0.3,
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'run-1',
      stream: true,
    });
  });

  it.each([
    'gpt-4o',
    'gpt-4.1-mini',
    'chatgpt-4o-latest',
    'gpt-3.5-turbo',
    'ft:gpt-4o-mini:x',
    'gpt-5-chat-latest',
  ])('does not ask %s for the encrypted reasoning that it refuses', (model) => {
    expect(toResponsesRequest(aRequest({ model }))).not.toHaveProperty('include');
  });

  it.each<[ModelRequest['toolChoice'], unknown]>([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ only: [] }, 'none'],
    [{ only: ['get_time'] }, { type: 'function', name: 'get_time' }],
    [
      { only: ['get_time', 'get_weather'] },
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'get_time' },
          { type: 'function', name: 'get_weather' },
        ],
      },
    ],
  ])('writes the tool choice %j', (toolChoice, expected) => {
    const body = toResponsesRequest(aRequest({ tools, toolChoice }));

    expect(body.tool_choice).toEqual(expected);
    expect(body.tools).toHaveLength(2);
  });

  it('merges the extras of the provider and then those of the call', () => {
    const settings = {
      reasoning: { effort: 'high' as const },
      extra: { top_p: 0.9, reasoning: { summary: 'auto' }, tools: [{ type: 'web_search' }] },
    };
    const body = toResponsesRequest(aRequest({ tools, settings }), {
      top_p: 0.1,
      truncation: 'auto',
    });

    expect(body).toMatchObject({
      top_p: 0.9,
      truncation: 'auto',
      reasoning: { effort: 'high', summary: 'auto' },
    });
    expect(body.tools?.at(-1)).toEqual({ type: 'web_search' });
  });

  it('writes system messages, texts, images and files', () => {
    const parts = [
      { type: 'text', text: 'Look:' },
      { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'iVBO' } },
      { type: 'media', mediaType: 'image/jpeg', source: { kind: 'url', url: 'https://x/a.jpg' } },
      { type: 'media', mediaType: 'image/jpeg', source: { kind: 'ref', ref: 'file_1' } },
      { type: 'media', mediaType: 'application/pdf', source: { kind: 'base64', data: 'JVBE' } },
      {
        type: 'media',
        mediaType: 'application/pdf',
        source: { kind: 'url', url: 'https://x/a.pdf' },
      },
      { type: 'media', mediaType: 'text/plain', source: { kind: 'ref', ref: 'file_2' } },
    ] as const;

    expect(
      inputOf(
        { role: 'system', parts: [{ type: 'text', text: 'Summary.' }] },
        { role: 'user', parts },
      ),
    ).toEqual([
      { role: 'system', content: 'Summary.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look:' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBO' },
          { type: 'input_image', detail: 'auto', image_url: 'https://x/a.jpg' },
          { type: 'input_image', detail: 'auto', file_id: 'file_1' },
          {
            type: 'input_file',
            filename: 'file.pdf',
            file_data: 'data:application/pdf;base64,JVBE',
          },
          { type: 'input_file', file_url: 'https://x/a.pdf' },
          { type: 'input_file', file_id: 'file_2' },
        ],
      },
    ]);
  });

  it('writes results as text, marked where they failed, and media as blocks', () => {
    const parts: ToolResult[] = [
      { ...result, callId: 'a', content: [{ type: 'json', value: { degrees: 24 } }] },
      { ...result, callId: 'b', isError: true, content: [{ type: 'text', text: 'no such city' }] },
      {
        ...result,
        callId: 'c',
        content: [
          { type: 'text', text: 'map' },
          { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'iVBO' } },
        ],
      },
    ];

    expect(inputOf({ role: 'tool', parts })).toEqual([
      { type: 'function_call_output', call_id: 'a', output: '{"degrees":24}' },
      { type: 'function_call_output', call_id: 'b', output: 'Error: no such city' },
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [
          { type: 'input_text', text: 'map' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBO' },
        ],
      },
    ]);
  });

  it('projects the turn of another provider: texts and calls, nothing sealed', () => {
    expect(inputOf(foreignTurn)).toEqual([
      { role: 'assistant', content: 'Let me look.' },
      {
        type: 'function_call',
        call_id: 'toolu_1',
        name: 'get_weather',
        arguments: '{"city":"Paris"}',
        status: 'completed',
      },
    ]);
  });

  it('keeps nothing sealed by this api in a message of another origin', () => {
    const parts = fromResponsesOutput(
      streamedResponse('responses-refusal').finished.output,
      origin,
      0,
    );
    const message: Message = {
      role: 'assistant',
      parts,
      origin: { ...origin, api: 'openai-chat' },
    };

    expect(inputOf(message)).toEqual([{ role: 'assistant', content: "I can't help with that." }]);
  });

  it('writes a text that replaced a turn as a plain message', () => {
    const message: Message = {
      role: 'assistant',
      origin,
      parts: [{ type: 'text', text: '{"a":1}' }],
    };

    expect(inputOf(message)).toEqual([{ role: 'assistant', content: '{"a":1}' }]);
  });

  it('drops reasoning that nothing follows any more, and only that', () => {
    const { output } = streamedResponse('responses-reasoning-and-calls').finished;
    const [reasoning, ...others] = fromResponsesOutput(output, origin, 0);
    if (reasoning === undefined) throw new Error('no reasoning');

    expect(inputOf({ role: 'assistant', origin, parts: [reasoning] }, user('Go on.'))).toEqual([
      { role: 'user', content: 'Go on.' },
    ]);
    expect(inputOf({ role: 'assistant', origin, parts: [...others, reasoning] })).toEqual(
      output.slice(1),
    );
  });

  it('writes the new name of a repaired call into its own item', () => {
    const { output } = streamedResponse('responses-reasoning-and-calls').finished;
    const parts = fromResponsesOutput(output, origin, 0).map((part) =>
      part.type === 'tool_call' ? { ...part, name: 'repaired' } : part,
    );

    expect(inputOf({ role: 'assistant', origin, parts })).toMatchObject([
      { type: 'reasoning' },
      { type: 'message' },
      { id: 'fc_01', name: 'repaired', arguments: '{"city":"Paris"}' },
      { id: 'fc_02', name: 'repaired', arguments: '{"city": "Oslo", "days": [1, 2]}' },
    ]);
  });

  it('writes the same bytes for the same request, and the prefix of the next', () => {
    const { output } = streamedResponse('responses-reasoning-and-calls').finished;
    const turn: Message = {
      role: 'assistant',
      origin,
      parts: fromResponsesOutput(output, origin, 0),
    };
    const parts = ['call_aa', 'call_bb'].map((callId) => ({ ...result, callId, content: [] }));
    const messages = [user('Hi'), turn, { role: 'tool', parts } as const, foreignTurn, user('Bye')];
    const bodies = messages.map((_message, index) =>
      toResponsesRequest(aRequest({ tools, messages: messages.slice(0, index + 1) })),
    );

    const inputs = bodies.map(({ input }) => JSON.stringify(input).slice(0, -1));
    for (const [index, input] of inputs.slice(1).entries()) {
      expect(input.startsWith(inputs[index] ?? '-')).toBe(true);
    }
    expect(JSON.stringify(bodies.at(-1))).toBe(
      JSON.stringify(toResponsesRequest(aRequest({ tools, messages }))),
    );
  });
});
