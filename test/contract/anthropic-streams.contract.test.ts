// Contract: what only this API's streams do, against a local server.
import { createAnthropicProvider } from '../../src/providers/anthropic/anthropic-provider';
import type { ModelRequest, ModelResponse } from '../../src/providers/provider';
import { sseFrame } from './openai-wire';
import { recordedOptions, userMessage, type Recorded } from './provider-requests';
import { LocalServer, type Answer } from './provider-servers';

const request: ModelRequest = {
  model: 'claude-opus-5',
  messages: [userMessage('Hello')],
  tools: [],
  toolChoice: 'auto',
  settings: {},
  cacheKey: 'run-1',
};
const start = sseFrame({
  type: 'message_start',
  message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 3 } },
});
const ping = sseFrame({ type: 'ping' });
const text = [
  sseFrame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  sseFrame({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'Partial' },
  }),
];

describe('streams of anthropic messages', () => {
  let server: LocalServer;

  afterEach(() => server.stop());

  async function call(answer: Answer, recorded: Recorded): Promise<ModelResponse> {
    server = await LocalServer.answering(answer);
    const config = { baseURL: server.url, apiKey: 'sk-ant-test' };
    return createAnthropicProvider('anthropic', config).call(request, recorded.options);
  }

  it('reports pings as activity: they are all that comes while a model thinks in silence', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const recorded = recordedOptions({
      signal: controller.signal,
      onActivity: () => controller.abort(reason),
    });

    await expect(call({ frames: [ping], then: 'hang' }, recorded)).rejects.toBe(reason);
    expect(recorded.deltas).toEqual([]);
  });

  it.each([
    ['overloaded_error', { kind: 'unavailable', retryable: true }],
    ['rate_limit_error', { kind: 'rate_limited', retryable: true }],
    ['invalid_request_error', { kind: 'rejected', retryable: false }],
  ])('fails when %s comes in mid-stream', async (type, expected) => {
    const error = sseFrame({ type: 'error', error: { type, message: 'the reason' } });

    await expect(
      call({ frames: [start, ...text, error] }, recordedOptions()),
    ).rejects.toMatchObject({
      ...expected,
      message: expect.stringContaining('the reason') as string,
    });
  });

  it('keeps what a refusal left and why', async () => {
    const end = [
      sseFrame({ type: 'content_block_stop', index: 0 }),
      sseFrame({
        type: 'message_delta',
        delta: {
          stop_reason: 'refusal',
          stop_details: { type: 'refusal', category: 'cyber', explanation: 'Not this.' },
        },
        usage: { output_tokens: 2 },
      }),
      sseFrame({ type: 'message_stop' }),
    ];

    await expect(
      call(
        {
          headers: { 'content-type': 'text/event-stream', 'request-id': 'req_7' },
          frames: [start, ...text, ...end],
        },
        recordedOptions(),
      ),
    ).resolves.toMatchObject({
      content: [
        { type: 'text', text: 'Partial' },
        { type: 'refusal', text: 'Not this.' },
      ],
      finishReason: 'refusal',
      ids: { message: 'msg_1', request: 'req_7' },
    });
  });
});
