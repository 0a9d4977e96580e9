// Contract: a turn that is cut at a name which is not allowed, over real HTTP in every dialect, and what the model is told then.
import { EarlyStop } from '../../src/activities/model/early-stop';
import { attempt } from '../../src/activities/model/model-attempt';
import { AgentRun } from '../../src/agent-run';
import { createAnthropicProvider } from '../../src/providers/anthropic/anthropic-provider';
import { createGoogleProvider } from '../../src/providers/google/google-provider';
import { createOpenAiProvider } from '../../src/providers/openai/openai-provider';
import type { ModelProvider } from '../../src/providers/provider';
import { sseFrame } from './openai-wire';
import { weatherTool } from './provider-requests';
import { LocalServer } from './provider-servers';

const apiKey = 'sk-contract-test-key';
const unreported = {
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

type Dialect = {
  readonly name: string;
  readonly create: (origin: string) => ModelProvider;
  /** Some text, a good call, then the start of one that is not allowed: the stream goes on after it. */
  readonly doomed: readonly string[];
  readonly answer: readonly string[];
  /** Of the cut turn. */
  readonly usage: object;
};

const chunk = (choice: object): string =>
  sseFrame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, ...choice }],
  });
const chatCall = (index: number, id: string, called: object): string =>
  chunk({ delta: { tool_calls: [{ index, id, type: 'function', function: called }] } });

const chat: Dialect = {
  name: 'openai chat completions',
  create: (origin) =>
    createOpenAiProvider('openai', { api: 'openai-chat', baseURL: `${origin}/v1`, apiKey }),
  doomed: [
    chunk({ delta: { role: 'assistant', content: 'Let me see.' } }),
    chatCall(0, 'call_1', { name: 'get_weather', arguments: '{"city":' }),
    chunk({ delta: { tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] } }),
    chatCall(1, 'call_2', { name: 'get_tides', arguments: '' }),
  ],
  answer: [
    chunk({ delta: { content: 'Sunny.' } }),
    chunk({ delta: {}, finish_reason: 'stop' }),
    'data: [DONE]\n\n',
  ],
  usage: unreported,
};

const item = (index: number, type: 'added' | 'done', fields: object): string =>
  sseFrame({ type: `response.output_item.${type}`, output_index: index, item: fields });
const functionCall = (id: string, name: string, args: string): object => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: args,
  status: args === '' ? 'in_progress' : 'completed',
});
const message = (text: string): object => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const started = sseFrame({ type: 'response.created', response: { id: 'resp_1', output: [] } });

const responses: Dialect = {
  name: 'openai responses',
  create: (origin) =>
    createOpenAiProvider('openai', { api: 'openai-responses', baseURL: `${origin}/v1`, apiKey }),
  doomed: [
    started,
    sseFrame({ type: 'response.output_text.delta', output_index: 0, delta: 'Let me see.' }),
    item(0, 'done', message('Let me see.')),
    item(1, 'added', functionCall('call_1', 'get_weather', '')),
    item(1, 'done', functionCall('call_1', 'get_weather', '{"city":"Oslo"}')),
    item(2, 'added', functionCall('call_2', 'get_tides', '')),
  ],
  answer: [
    started,
    item(0, 'done', message('Sunny.')),
    sseFrame({
      type: 'response.completed',
      response: { id: 'resp_1', status: 'completed', output: [] },
    }),
  ],
  usage: unreported,
};

const block = (index: number, content_block: object): string =>
  sseFrame({ type: 'content_block_start', index, content_block });
const blockDelta = (index: number, delta: object): string =>
  sseFrame({ type: 'content_block_delta', index, delta });
const toolUse = (id: string, name: string): object => ({ type: 'tool_use', id, name, input: {} });
const messageStart = sseFrame({
  type: 'message_start',
  message: {
    id: 'msg_1',
    role: 'assistant',
    content: [],
    usage: { input_tokens: 30, output_tokens: 2 },
  },
});

const anthropic: Dialect = {
  name: 'anthropic messages',
  create: (origin) => createAnthropicProvider('anthropic', { baseURL: origin, apiKey }),
  doomed: [
    messageStart,
    block(0, { type: 'text', text: '' }),
    blockDelta(0, { type: 'text_delta', text: 'Let me see.' }),
    block(1, toolUse('call_1', 'get_weather')),
    blockDelta(1, { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' }),
    sseFrame({ type: 'content_block_stop', index: 1 }),
    block(2, toolUse('call_2', 'get_tides')),
  ],
  answer: [
    messageStart,
    block(0, { type: 'text', text: 'Sunny.' }),
    sseFrame({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 3 },
    }),
    sseFrame({ type: 'message_stop' }),
  ],
  usage: { ...unreported, inputTokens: 30, outputTokens: 2, totalTokens: 32 },
};

const parts = (...said: readonly object[]): string =>
  sseFrame({
    candidates: [{ content: { role: 'model', parts: said } }],
    usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 7 },
  });

const google: Dialect = {
  name: 'google generateContent',
  create: (origin) => createGoogleProvider('google', { baseURL: origin, apiKey }),
  doomed: [
    parts({ text: 'Let me see.' }),
    parts({ functionCall: { id: 'call_1', name: 'get_weather', args: { city: 'Oslo' } } }),
    parts({ functionCall: { id: 'call_2', name: 'get_tides', args: {} } }),
  ],
  answer: [parts({ text: 'Sunny.' }), sseFrame({ candidates: [{ finishReason: 'STOP' }] })],
  usage: { ...unreported, inputTokens: 30, outputTokens: 7, totalTokens: 37 },
};

describe.each([responses, chat, anthropic, google])('a doomed turn by $name', (dialect) => {
  let server: LocalServer;

  beforeEach(async () => {
    server = await LocalServer.answering(
      { frames: dialect.doomed, then: 'hang' },
      { frames: dialect.answer },
    );
  });
  afterEach(() => server.stop());

  /** The provider's turn of a run that offers get_weather alone. */
  const nextTurn = async (provider: ModelProvider, machine: AgentRun) => {
    const step = machine.nextStep();
    if (step.kind !== 'call-model') throw new Error(`the run is at ${step.kind}`);
    const request = {
      model: 'model-1',
      messages: [...step.history, step.prompt],
      tools: [weatherTool],
      toolChoice: 'auto' as const,
      settings: {},
      cacheKey: 'run-1',
    };
    return await attempt(provider, request, {
      dependencies: {},
      step: undefined,
      signal: new AbortController().signal,
      earlyStop: new EarlyStop([weatherTool.name]),
    });
  };

  it('hangs up at the name, keeps what came, and goes on with the feedback', async () => {
    const provider = dialect.create(server.url);
    const machine = new AgentRun('The tides?', { maxTurns: 2, maxInvalidToolCallRetries: 1 });

    const cut = await nextTurn(provider, machine);
    await server.hungUp;

    expect(cut).toMatchObject({
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_call', callId: 'call_1', name: 'get_weather', args: { city: 'Oslo' } },
        { type: 'tool_call', callId: 'call_2', name: 'get_tides', args: {} },
      ],
      usage: dialect.usage,
      finishReason: 'tool_calls',
    });
    expect(machine.modelResponse({ ...cut, tools: [weatherTool.name] })).toMatchObject({
      kind: 'needs-resolution',
      context: { toolName: 'get_tides' },
    });
    machine.resolveInvalidToolCall({ kind: 'retry', feedback: 'Available: get_weather.' });

    const answer = await nextTurn(provider, machine);
    machine.modelResponse({ ...answer, tools: [weatherTool.name] });
    expect(machine.nextStep()).toMatchObject({ kind: 'done', response: { text: 'Sunny.' } });
    expect(JSON.stringify(server.requests[1]?.body)).toContain('Available: get_weather.');
  });
});
