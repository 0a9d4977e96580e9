// Contract: the provider against an independent double and a misbehaving local server.
import { createOpenAiProvider } from '../../src/providers/openai/openai-provider';
import { openAiUsage, record, records, sseFrame } from './openai-wire';
import { providerContract } from './provider-contract';

providerContract({
  name: 'openai responses',
  api: 'openai-responses',
  model: 'gpt-5-mini',
  create: (origin) =>
    createOpenAiProvider('openai', {
      api: 'openai-responses',
      baseURL: `${origin}/v1`,
      apiKey: 'sk-contract-test-key',
    }),
  wire: {
    history: ({ input }) => records(input),
    prefix: ({ instructions, tools }) => ({ instructions, tools }),
    calls: ({ input }) =>
      records(input)
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id: id, name }) => ({ id: String(id), name: String(name) })),
    results: ({ input }) =>
      records(input)
        .filter(({ type }) => type === 'function_call_output')
        .map(({ call_id: id, output }) => ({ id: String(id), text: String(output) })),
    toolChoice: ({ tool_choice: choice }) => choice,
    outputSchema: ({ text }) => record(record(text)['format'])['schema'],
  },
  toolChoices: [
    { choice: 'auto', wire: 'auto' },
    { choice: 'none', wire: 'none' },
    { choice: 'required', wire: 'required' },
    { choice: { only: ['get_time'] }, wire: { type: 'function', name: 'get_time' } },
    {
      choice: { only: ['get_time', 'get_weather'] },
      wire: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'get_time' },
          { type: 'function', name: 'get_weather' },
        ],
      },
    },
  ],
  errorText: (text) => `Error: ${text}`,
  usage: openAiUsage,
  frames: (texts) => {
    const message = {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: texts.join(''), annotations: [] }],
    };
    const response = { id: 'resp_1', object: 'response', status: 'completed', output: [message] };
    const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0 };
    return {
      opening: [sseFrame({ type: 'response.created', response: { ...response, output: [] } })],
      texts: texts.map((text) => sseFrame({ ...delta, item_id: 'msg_1', delta: text })),
      closing: [
        sseFrame({ type: 'response.output_item.done', output_index: 0, item: message }),
        sseFrame({ type: 'response.completed', response }),
      ],
    };
  },
  errorBody: (error) => ({ error: { ...error, param: null, code: null } }),
});
