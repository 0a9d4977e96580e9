// Pure: no server.
import type { Message } from '../../../../../src/protocol/message';
import { toChatRequest } from '../../../../../src/providers/openai/chat/to-chat-request';
import { user } from '../../../core/builders';
import { aRequest, foreignTurn } from '../openai-fixtures';

const closed = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const names = ['get_weather', 'get_time', 'get_news'];
const tools = names.map((name) => ({ name, description: name, inputSchema: closed }));
const openAi = { ownHost: true, maxTokensField: 'max_completion_tokens' } as const;
const compatible = { ownHost: false, maxTokensField: 'max_tokens' } as const;
const settings = {
  temperature: 0.3,
  maxOutputTokens: 500,
  stop: ['END'],
  reasoning: { effort: 'low' as const },
};

describe('toChatRequest', () => {
  it('writes a body for OpenAI', () => {
    const request = aRequest({
      instructions: 'Be brief.',
      tools: tools.slice(0, 1),
      output: { name: 'city', schema: { type: 'object' } },
      settings,
    });

    expect(toChatRequest(request, openAi)).toEqual({
      model: 'gpt-5-mini',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'get_weather',
            parameters: closed,
            strict: true,
          },
        },
      ],
      tool_choice: 'auto',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'city', schema: { type: 'object' }, strict: false },
      },
      reasoning_effort: 'low',
      max_completion_tokens: 500,
      temperature: 0.3,
      stop: ['END'],
      store: false,
      prompt_cache_key: 'run-1',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('sends a compatible server nothing that only OpenAI knows', () => {
    const body = toChatRequest(aRequest({ tools, settings }), compatible);

    expect(Object.keys(body)).toEqual([
      'model',
      'messages',
      'tools',
      'tool_choice',
      'reasoning_effort',
      'max_tokens',
      'temperature',
      'stop',
      'stream',
      'stream_options',
    ]);
    expect(JSON.stringify(body.tools)).not.toContain('strict');
  });

  it('restricts the choice by name at OpenAI, by the tools offered elsewhere', () => {
    const request = aRequest({ tools, toolChoice: { only: ['get_time', 'get_news'] } });
    const named = (name: string): object => ({ type: 'function', function: { name } });

    expect(toChatRequest(request, openAi)).toMatchObject({
      tools: { length: 3 },
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [named('get_time'), named('get_news')] },
      },
    });
    expect(toChatRequest(request, compatible)).toMatchObject({
      tools: [named('get_time'), named('get_news')],
      tool_choice: 'required',
    });
  });

  it('projects the turn of another provider: text and calls, nothing sealed', () => {
    expect(toChatRequest(aRequest({ messages: [foreignTurn] }), openAi).messages).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          {
            id: 'toolu_1',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
          },
        ],
      },
    ]);
  });

  it('writes one message per result, errors marked', () => {
    const result = { type: 'tool_result', name: 'get_weather' } as const;
    const message: Message = {
      role: 'tool',
      parts: [
        { ...result, callId: 'a', isError: false, content: [{ type: 'json', value: [24] }] },
        { ...result, callId: 'b', isError: true, content: [{ type: 'text', text: 'no' }] },
      ],
    };

    expect(toChatRequest(aRequest({ messages: [message] }), compatible).messages).toEqual([
      { role: 'tool', tool_call_id: 'a', content: '[24]' },
      { role: 'tool', tool_call_id: 'b', content: 'Error: no' },
    ]);
  });

  it('writes images, files and sound', () => {
    const parts = [
      { type: 'text', text: 'Look:' },
      { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'iVBO' } },
      { type: 'media', mediaType: 'audio/wav', source: { kind: 'base64', data: 'UklG' } },
      { type: 'media', mediaType: 'application/pdf', source: { kind: 'base64', data: 'JVBE' } },
      { type: 'media', mediaType: 'application/pdf', source: { kind: 'ref', ref: 'file_1' } },
    ] as const;
    const { messages } = toChatRequest(aRequest({ messages: [{ role: 'user', parts }] }), openAi);

    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
          { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
          {
            type: 'file',
            file: { filename: 'file.pdf', file_data: 'data:application/pdf;base64,JVBE' },
          },
          { type: 'file', file: { file_id: 'file_1' } },
        ],
      },
    ]);
  });

  it('refuses media that the API cannot take', () => {
    const source = { kind: 'url', url: 'https://x/a.pdf' } as const;
    const parts = [{ type: 'media', mediaType: 'application/pdf', source }] as const;
    const request = aRequest({ messages: [{ role: 'user', parts }] });

    expect(() => toChatRequest(request, openAi)).toThrow(
      'openai-chat does not take application/pdf by URL.',
    );
  });

  it('lets extras take fields out for servers that refuse them', () => {
    const extra = { stream_options: null, top_k: 20 };
    const body = toChatRequest(aRequest({ settings: { extra } }), compatible);

    expect(body).not.toHaveProperty('stream_options');
    expect(body).toMatchObject({ top_k: 20 });
  });

  it('writes the messages of a turn as the prefix of the next', () => {
    const messages = [user('Hi'), foreignTurn, user('Bye')];
    const [first, second] = [2, 3].map((count) =>
      JSON.stringify(
        toChatRequest(aRequest({ messages: messages.slice(0, count) }), openAi).messages,
      ),
    );

    expect(second?.startsWith(first?.slice(0, -1) ?? '-')).toBe(true);
  });
});
