// Contract: the provider against an independent double and a misbehaving local server.
import { createGoogleProvider } from '../../src/providers/google/google-provider';
import { record, records, sseFrame } from './openai-wire';
import { providerContract } from './provider-contract';

providerContract({
  name: 'google generateContent',
  api: 'google-generate-content',
  model: 'gemini-2.5-pro',
  create: (origin) =>
    createGoogleProvider('google', { baseURL: origin, apiKey: 'AIza-contract-test-key' }),
  wire: {
    history: ({ contents }) => records(contents),
    prefix: ({ tools, systemInstruction }) => ({ tools, systemInstruction }),
    calls: ({ contents }) =>
      records(contents)
        .flatMap(({ parts }) => records(parts))
        .filter(({ functionCall }) => functionCall !== undefined)
        .map(({ functionCall }) => record(functionCall))
        .map(({ id, name }) => ({ id: String(id), name: String(name) })),
    results: ({ contents }) =>
      records(contents)
        .flatMap(({ parts }) => records(parts))
        .filter(({ functionResponse }) => functionResponse !== undefined)
        .map(({ functionResponse }) => record(functionResponse))
        .map(({ id, response }) => {
          const { output, error } = record(response);
          const said = output ?? { error };
          return { id: String(id), text: typeof said === 'string' ? said : JSON.stringify(said) };
        }),
    toolChoice: ({ toolConfig }) => record(toolConfig)['functionCallingConfig'],
    outputSchema: ({ generationConfig }) => record(generationConfig)['responseJsonSchema'],
  },
  toolChoices: [
    { choice: 'auto', wire: { mode: 'AUTO' } },
    { choice: 'none', wire: { mode: 'NONE' } },
    { choice: 'required', wire: { mode: 'ANY' } },
    {
      choice: { only: ['get_time'] },
      wire: { mode: 'ANY', allowedFunctionNames: ['get_time'] },
    },
    {
      choice: { only: ['get_time', 'get_weather'] },
      wire: { mode: 'ANY', allowedFunctionNames: ['get_time', 'get_weather'] },
    },
  ],
  errorText: (error) => JSON.stringify({ error }),
  usage: {
    sent: { content: 'ok', usage: { promptTokenCount: 120, candidatesTokenCount: 30 } },
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
    opening: [sseFrame({ responseId: 'response-1', usageMetadata: { promptTokenCount: 3 } })],
    texts: texts.map((text) =>
      sseFrame({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] }),
    ),
    closing: [sseFrame({ candidates: [{ finishReason: 'STOP' }] })],
  }),
  errorBody: ({ message, type }) => ({ error: { code: 0, message, status: type } }),
});
