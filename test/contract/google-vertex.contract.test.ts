// Contract: the provider on Vertex, and what only this API's streams do.
import { createGoogleProvider } from '../../src/providers/google/google-provider';
import type { ModelRequest } from '../../src/providers/provider';
import signedParallelCalls from '../fixtures/google/signed-parallel-calls.json';
import { records } from './openai-wire';
import { ProviderDouble } from './provider-double';
import {
  assistantMessage,
  recordedOptions,
  toolMessage,
  userMessage,
  weatherTool,
} from './provider-requests';
import { LocalServer } from './provider-servers';

function aRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'gemini-3-pro',
    messages: [userMessage('Hello')],
    tools: [weatherTool],
    toolChoice: 'auto',
    settings: {},
    cacheKey: 'run-1',
    ...overrides,
  };
}

/** Google's credentials, without Google. */
const googleAuthOptions = {
  authClient: {
    getRequestHeaders: () => Promise.resolve(new Headers({ authorization: 'Bearer fake-token' })),
  } as never,
};

describe('google generateContent on Vertex', () => {
  it('calls the project’s endpoint with the default credentials', async () => {
    const double = await ProviderDouble.start();
    double.answers({ content: 'Hello from Vertex' });
    const provider = createGoogleProvider('vertex', {
      baseURL: `${double.tap.url}/v1`,
      vertex: { project: 'a-project', location: 'europe-west1' },
      googleAuthOptions,
    });

    const response = await provider.call(aRequest(), recordedOptions().options);
    await double.stop();

    expect(response.content).toEqual([{ type: 'text', text: 'Hello from Vertex' }]);
    expect(response.origin).toEqual({
      provider: 'vertex',
      api: 'google-generate-content',
      model: 'gemini-3-pro',
    });
    const [request] = double.tap.requests;
    expect(request?.path).toBe(
      '/v1/projects/a-project/locations/europe-west1/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse',
    );
    expect(request?.headers['authorization']).toBe('Bearer fake-token');
  });
});

describe('streams of google generateContent', () => {
  it('sends signed parallel calls back as they came, and results in their order', async () => {
    const frames = signedParallelCalls.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`);
    const server = await LocalServer.answering({ frames });
    const config = { baseURL: server.url, apiKey: 'AIza-test' };
    const provider = createGoogleProvider('google', config);
    const question = userMessage('Paris and Oslo');

    const first = await provider.call(
      aRequest({ messages: [question] }),
      recordedOptions().options,
    );
    const answers = ['sunny', 'rainy'].map((text) => ({
      content: [{ type: 'text' as const, text }],
    }));
    const messages = [question, assistantMessage(first), toolMessage(first, answers)];
    await provider.call(aRequest({ messages }), recordedOptions().options);
    await server.stop();

    expect(records(server.requests[1]?.body['contents'])).toEqual([
      { role: 'user', parts: [{ text: 'Paris and Oslo' }] },
      {
        role: 'model',
        parts: [
          { text: '**Planning the calls**\n\nTwo cities, two calls.', thought: true },
          {
            functionCall: { name: 'get_weather', args: { city: 'Paris' } },
            thoughtSignature: 'CiQB0e2Kb1Fy+first/signature==',
          },
          { functionCall: { id: 'fc-8d1', name: 'get_weather', args: { city: 'Oslo' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'get_weather', response: { output: 'sunny' } } },
          {
            functionResponse: { id: 'fc-8d1', name: 'get_weather', response: { output: 'rainy' } },
          },
        ],
      },
    ]);
  });

  it.each([
    [429, 'RESOURCE_EXHAUSTED', { kind: 'rate_limited', retryable: true, retryAfterMs: 3000 }],
    [503, 'UNAVAILABLE', { kind: 'unavailable', retryable: true }],
  ])('fails when an error of status %d comes in mid-stream', async (code, status, expected) => {
    const details = code === 429 ? [{ retryDelay: '3s' }] : [];
    const error = { error: { code, status, message: 'the reason', details } };
    const server = await LocalServer.answering({
      frames: [signedParallelCalls[0], error].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
    });
    const provider = createGoogleProvider('google', { baseURL: server.url, apiKey: 'AIza-test' });

    const call = provider.call(aRequest(), recordedOptions().options);

    await expect(call).rejects.toMatchObject({
      ...expected,
      status: code,
      message: expect.stringContaining('the reason') as string,
    });
    await server.stop();
  });

  it('asks for a key instead of looking for credentials of the machine', async () => {
    const names = ['GOOGLE_API_KEY', 'GEMINI_API_KEY'];
    const saved = names.map((name) => process.env[name]);
    for (const name of names) delete process.env[name];
    const provider = createGoogleProvider('google', {});

    const call = provider.call(aRequest(), recordedOptions().options);

    await expect(call).rejects.toMatchObject({
      kind: 'auth',
      message: expect.stringContaining('GEMINI_API_KEY or GOOGLE_API_KEY') as string,
    });
    expect(provider.check?.()).toContain('GEMINI_API_KEY or GOOGLE_API_KEY');
    for (const [index, name] of names.entries()) {
      if (saved[index] !== undefined) process.env[name] = saved[index];
    }
  });
});
