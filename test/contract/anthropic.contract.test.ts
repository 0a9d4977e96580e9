// Contract: the provider against an independent double and a misbehaving local server.
import { createAnthropicProvider } from '../../src/providers/anthropic/anthropic-provider';
import { record, records, sseFrame } from './openai-wire';
import { providerContract } from './provider-contract';

providerContract({
  name: 'anthropic messages',
  api: 'anthropic-messages',
  model: 'claude-opus-4-8',
  create: (origin) =>
    createAnthropicProvider('anthropic', { baseURL: origin, apiKey: 'sk-ant-contract-test-key' }),
  wire: {
    history: ({ messages }) => records(messages),
    prefix: ({ tools, system }) => ({ tools, system }),
    calls: ({ messages }) =>
      records(messages)
        .flatMap(({ content }) => records(content))
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name }) => ({ id: String(id), name: String(name) })),
    results: ({ messages }) =>
      records(messages)
        .flatMap(({ content }) => records(content))
        .filter(({ type }) => type === 'tool_result')
        .map(({ tool_use_id: id, content, is_error: isError }) => {
          const text = records(content).map((block) => String(block['text']));
          return {
            id: String(id),
            text: `${isError === true ? 'is_error: ' : ''}${text.join('')}`,
          };
        }),
    toolChoice: ({ tool_choice: choice }) => choice,
    outputSchema: ({ output_config: config }) => record(record(config)['format'])['schema'],
  },
  toolChoices: [
    { choice: 'auto', wire: { type: 'auto' } },
    { choice: 'none', wire: { type: 'none' } },
    { choice: 'required', wire: { type: 'any' } },
    { choice: { only: ['get_time'] }, wire: { type: 'tool', name: 'get_time' } },
    { choice: { only: ['get_time', 'get_weather'] }, wire: { type: 'any' } },
  ],
  errorText: (text) => `is_error: ${text}`,
  usage: {
    sent: { content: 'ok', usage: { input_tokens: 120, output_tokens: 30 } },
    expected: {
      inputTokens: 120,
      outputTokens: 30,
      totalTokens: 150,
      cacheReadTokens: null,
      cacheWriteTokens: null,
      reasoningTokens: null,
    },
  },
  frames: (texts) => ({
    opening: [
      sseFrame({
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 3 } },
      }),
      sseFrame({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'text', text: '' },
      }),
    ],
    texts: texts.map((text) =>
      sseFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    closing: [
      sseFrame({ type: 'content_block_stop', index: 0 }),
      sseFrame({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 2 },
      }),
      sseFrame({ type: 'message_stop' }),
    ],
  }),
  errorBody: (error) => ({ type: 'error', error }),
});
