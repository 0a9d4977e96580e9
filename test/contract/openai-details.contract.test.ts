// Contract: what only the OpenAI APIs have, against an independent double and a misbehaving local server.
import type { Message } from '../../src/protocol/message';
import { createOpenAiProvider } from '../../src/providers/openai/openai-provider';
import type { ModelProvider, ModelRequest, ProviderConfig } from '../../src/providers/provider';
import { records, sseFrame } from './openai-wire';
import { ProviderDouble } from './provider-double';
import { assistantMessage, recordedOptions, toolMessage, weatherTool } from './provider-requests';
import { LocalServer } from './provider-servers';

const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const hello = [
  sseFrame({ ...chunk, choices: [{ index: 0, delta: { content: 'Hello' } }] }),
  sseFrame({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
];

function aRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'gpt-5-mini',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    cacheKey: 'run-1',
    ...overrides,
  };
}

describe('openai responses on the wire', () => {
  let double: ProviderDouble;
  let provider: ModelProvider;

  beforeAll(async () => {
    double = await ProviderDouble.start();
    provider = createOpenAiProvider('openai', {
      api: 'openai-responses',
      baseURL: `${double.tap.url}/v1`,
      apiKey: 'sk-test',
    });
  });
  afterAll(() => double.stop());

  it('posts to the responses endpoint with the key', async () => {
    double.answers({ content: 'ok' });
    await provider.call(aRequest(), recordedOptions().options);

    const [request] = double.tap.requests;
    expect(request?.path).toBe('/v1/responses');
    expect(request?.headers.authorization).toBe('Bearer sk-test');
    expect(request?.body).toMatchObject({ store: false, stream: true, prompt_cache_key: 'run-1' });
  });

  it('sends encrypted reasoning and calls back as they came', async () => {
    double.answers(
      {
        content: 'Looking.',
        toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{"city": "Paris"}' }],
        reasoning: 'One call will do.',
      },
      { content: 'Sunny.' },
    );
    const tools = [weatherTool];
    const first = await provider.call(aRequest({ tools }), recordedOptions().options);
    const messages: Message[] = [
      ...aRequest().messages,
      assistantMessage(first),
      toolMessage(first, [{ content: [{ type: 'text', text: '24' }] }]),
    ];
    await provider.call(aRequest({ tools, messages }), recordedOptions().options);

    const [, reasoning, message, call] = records(double.tap.requests[1]?.body['input']);
    expect(reasoning).toEqual({
      type: 'reasoning',
      id: expect.stringMatching(/^rs/) as string,
      summary: [{ type: 'summary_text', text: 'One call will do.' }],
      encrypted_content: expect.any(String) as string,
    });
    expect(message).toEqual({
      type: 'message',
      id: expect.stringMatching(/^msg/) as string,
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Looking.', annotations: [] }],
    });
    expect(call).toEqual({
      type: 'function_call',
      id: expect.stringMatching(/^fc/) as string,
      call_id: 'call_1',
      name: 'get_weather',
      arguments: '{"city": "Paris"}',
      status: 'completed',
    });
  });
});

describe('an OpenAI-compatible server', () => {
  let server: LocalServer;
  afterEach(() => server.stop());

  const providerAt = (config: ProviderConfig = {}): ModelProvider =>
    createOpenAiProvider('house', { baseURL: `${server.url}/v1`, ...config });

  it('needs no key and gets chat completions', async () => {
    server = await LocalServer.answering({ frames: [...hello, 'data: [DONE]\n\n'] });

    const response = await providerAt().call(aRequest(), recordedOptions().options);

    expect(response.content).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(response.usage).toEqual({
      inputTokens: null,
      outputTokens: null,
      totalTokens: null,
      cacheReadTokens: null,
      cacheWriteTokens: null,
      reasoningTokens: null,
    });
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer none');
  });

  it('gets the headers and extras of its configuration', async () => {
    server = await LocalServer.answering({ frames: hello });
    const headers = { Authorization: 'Token house', 'X-Team': 'blue' };

    await providerAt({ headers, extra: { top_k: 5 } }).call(aRequest(), recordedOptions().options);

    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Token house',
      'x-team': 'blue',
    });
    expect(server.requests[0]?.body).toMatchObject({ top_k: 5 });
  });

  it('keeps a call alive with comments that carry nothing', async () => {
    const comments = [': processing\n\n', ': processing\n\n'];
    server = await LocalServer.answering({ frames: comments, then: 'hang' });
    const controller = new AbortController();
    const reason = new Error('seen enough');
    const recorded = recordedOptions({
      signal: controller.signal,
      onActivity: () => controller.abort(reason),
    });

    await expect(providerAt().call(aRequest(), recorded.options)).rejects.toBe(reason);
    expect(recorded.deltas).toEqual([]);
  });

  it('may cut the connection once the answer is whole', async () => {
    server = await LocalServer.answering({ frames: hello, then: 'cut' });

    const response = await providerAt().call(aRequest(), recordedOptions().options);

    expect(response).toMatchObject({ content: [{ text: 'Hello' }], finishReason: 'stop' });
  });

  it('reports an error of the model behind it in mid-stream', async () => {
    const error = { code: 502, message: 'Upstream died.' };
    server = await LocalServer.answering({
      frames: [hello[0] ?? '', sseFrame({ ...chunk, error })],
    });

    await expect(providerAt().call(aRequest(), recordedOptions().options)).rejects.toMatchObject({
      kind: 'unavailable',
      status: 502,
      message: 'house/gpt-5-mini: HTTP 502: Upstream died.',
    });
  });

  it('keeps the request id', async () => {
    const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'req_7' };
    server = await LocalServer.answering({ headers, frames: hello });

    const { ids } = await providerAt().call(aRequest(), recordedOptions().options);

    expect(ids).toEqual({ response: 'chatcmpl-1', request: 'req_7' });
  });
});
