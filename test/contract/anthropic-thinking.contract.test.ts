// Contract: a strict double refuses a tool turn whose thinking did not come back as it was.
import { LLMock, type FixtureFileResponse } from '@copilotkit/aimock';
import type { Message } from '../../src/protocol/message';
import { createAnthropicProvider } from '../../src/providers/anthropic/anthropic-provider';
import type { ModelProvider, ModelRequest, ModelResponse } from '../../src/providers/provider';
import { recordedOptions, toolMessage, userMessage, weatherTool } from './provider-requests';
import { LocalServer } from './provider-servers';

const call = { id: 'toolu_1', name: 'get_weather', arguments: '{"city":"Paris"}' };

describe('anthropic messages with thinking', () => {
  let double: LLMock;
  let tap: LocalServer;
  let provider: ModelProvider;
  let script: FixtureFileResponse[] = [];

  beforeAll(async () => {
    double = new LLMock({ port: 0, host: '127.0.0.1', strict: true });
    double.on({ predicate: () => true }, () => script.shift() as never);
    tap = await LocalServer.tap(await double.start());
    provider = createAnthropicProvider('anthropic', { baseURL: tap.url, apiKey: 'sk-ant-test' });
  });
  afterAll(async () => {
    await tap.stop();
    await double.stop();
  });

  function ask(messages: readonly Message[]): Promise<ModelResponse> {
    const request: ModelRequest = {
      model: 'claude-opus-4-8',
      instructions: 'Be brief.',
      messages,
      tools: [weatherTool],
      toolChoice: 'auto',
      settings: { reasoning: { budgetTokens: 2048 } },
      cacheKey: 'run-1',
    };
    return provider.call(request, recordedOptions().options);
  }

  async function secondTurn(
    first: FixtureFileResponse,
    change: (turn: ModelResponse) => Message,
  ): Promise<ModelResponse> {
    script = [first, { content: 'Sunny.' }];
    const question = userMessage('What is the weather in Paris?');
    const turn = await ask([question]);
    return ask([question, change(turn), toolMessage(turn, [{ content: [] }])]);
  }

  const unchanged = ({ content, origin }: ModelResponse): Message => {
    return { role: 'assistant', parts: content, origin };
  };

  it.each([
    ['thinking', { reasoning: 'A call will do.', reasoningSignature: 'EqQBsigned' }],
    ['redacted thinking', { redactedThinking: ['EmwKsealed'] }],
    ['both', { reasoning: 'Hm.', reasoningSignature: 'EqQBsigned', redactedThinking: ['Emw'] }],
  ])('is accepted after a call with %s', async (_name, thought) => {
    const response = await secondTurn({ toolCalls: [call], ...thought }, unchanged);

    expect(response.content).toEqual([{ type: 'text', text: 'Sunny.' }]);
  });

  it.each<[string, (turn: ModelResponse) => Message]>([
    [
      'thinking is dropped',
      ({ content, origin }) => ({
        role: 'assistant',
        parts: content.filter(({ type }) => type !== 'reasoning'),
        origin,
      }),
    ],
    ['the turn passes for another API’s', ({ content }) => ({ role: 'assistant', parts: content })],
  ])('is refused when %s', async (_name, change) => {
    const first = { toolCalls: [call], reasoning: 'Hm.', reasoningSignature: 'EqQBsigned' };

    await expect(secondTurn(first, change)).rejects.toMatchObject({
      code: 'ProviderError',
      kind: 'rejected',
      status: 400,
    });
  });

  it('sends the longer conversation as the bytes of the shorter one and more', async () => {
    tap.requests.length = 0;
    await secondTurn(
      { toolCalls: [call], reasoning: 'Hm.', reasoningSignature: 'EqQBsigned' },
      unchanged,
    );

    const [first, second] = tap.requests.map(({ body }) => JSON.stringify(body));
    expect(second?.startsWith(first?.slice(0, -']}'.length) ?? 'no request')).toBe(true);
  });
});
