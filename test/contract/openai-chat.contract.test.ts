// Contract: the provider against an independent double and a misbehaving local server.
import { createOpenAiProvider } from '../../src/providers/openai/openai-provider';
import { openAiUsage, record, records, sseFrame } from './openai-wire';
import { providerContract } from './provider-contract';

const chunk = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-5-mini',
};

providerContract({
  name: 'openai chat completions',
  api: 'openai-chat',
  model: 'gpt-5-mini',
  create: (origin) =>
    createOpenAiProvider('openai-chat', {
      api: 'openai-chat',
      baseURL: `${origin}/v1`,
      apiKey: 'sk-contract-test-key',
    }),
  wire: {
    history: ({ messages }) => records(messages),
    prefix: ({ tools }) => tools,
    calls: ({ messages }) =>
      records(messages)
        .flatMap(({ tool_calls: calls }) => records(calls))
        .map(({ id, function: called }) => ({
          id: String(id),
          name: String(record(called)['name']),
        })),
    results: ({ messages }) =>
      records(messages)
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id: id, content }) => ({ id: String(id), text: String(content) })),
    toolChoice: ({ tool_choice: choice }) => choice,
    outputSchema: ({ response_format: format }) => record(record(format)['json_schema'])['schema'],
  },
  toolChoices: [
    { choice: 'auto', wire: 'auto' },
    { choice: 'none', wire: 'none' },
    { choice: 'required', wire: 'required' },
    {
      choice: { only: ['get_time'] },
      wire: { type: 'function', function: { name: 'get_time' } },
    },
    { choice: { only: ['get_time', 'get_weather'] }, wire: 'required' },
  ],
  errorText: (text) => `Error: ${text}`,
  usage: openAiUsage,
  frames: (texts) => ({
    opening: [sseFrame({ ...chunk, choices: [{ index: 0, delta: { role: 'assistant' } }] })],
    texts: texts.map((content) =>
      sseFrame({ ...chunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    ),
    closing: [
      sseFrame({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
      'data: [DONE]\n\n',
    ],
  }),
  errorBody: (error) => ({ error: { ...error, param: null, code: null } }),
});
