// What models and gateways really send, over real HTTP: the run goes on, and each next request can be taken.

import { defineAgent, defineTool } from '../../src';
import { sseFrame } from '../contract/openai-wire';
import { LocalServer, type Answer, type WireRequest } from '../contract/provider-servers';
import { openHarness, type Harness } from './harness';

const chunk = (choice: object): string =>
  sseFrame({ id: 'chatcmpl-1', choices: [{ index: 0, ...choice }] });
const chat = (delta: object, finish: string): Answer => ({
  frames: [chunk({ delta }), chunk({ delta: {}, finish_reason: finish }), 'data: [DONE]\n\n'],
});
const chatCalls = (...calls: readonly (readonly [id: string, name: string])[]): Answer =>
  chat(
    {
      tool_calls: calls.map(([id, name], index) => ({
        index,
        id,
        type: 'function',
        function: { name, arguments: '{}' },
      })),
    },
    'tool_calls',
  );

const message = (blocks: readonly object[], stopReason: string): Answer => ({
  frames: [
    sseFrame({
      type: 'message_start',
      message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 9 } },
    }),
    ...blocks.flatMap((block, index) => [
      sseFrame({ type: 'content_block_start', index, content_block: block }),
      sseFrame({ type: 'content_block_stop', index }),
    ]),
    sseFrame({
      type: 'message_delta',
      delta: { stop_reason: stopReason },
      usage: { output_tokens: 3 },
    }),
    sseFrame({ type: 'message_stop' }),
  ],
});

type ChatMessage = {
  readonly role: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string } }[];
};
const chatMessages = (request: WireRequest | undefined): readonly ChatMessage[] =>
  (request?.body['messages'] ?? []) as ChatMessage[];

const tool = defineTool({
  name: 'look_up',
  description: 'Looks a word up',
  inputSchema: { type: 'object', properties: {} },
  execute: () => 'found',
});

describe('a run', () => {
  let harness: Harness;
  let server: LocalServer | undefined;

  const start = async (
    api: 'openai-chat' | 'anthropic-messages',
    ...answers: [Answer, ...Answer[]]
  ): Promise<ReturnType<Harness['longhaul']['start']>> => {
    server = await LocalServer.answering(...answers);
    const baseURL = api === 'openai-chat' ? `${server.url}/v1` : server.url;
    const agent = defineAgent({ id: 'own', model: 'local/one', tools: [tool] });
    await harness.deploy({
      runners: [agent],
      providers: { local: { api, baseURL, apiKey: 'none' } },
    });
    return await harness.longhaul.start('own', 'Go.');
  };

  beforeAll(async () => {
    harness = await openHarness();
  });
  afterEach(async () => await server?.stop());
  afterAll(async () => await harness.close());

  it('sends back no name that a provider refuses, and says in the result what it was', async () => {
    const run = await start(
      'openai-chat',
      chatCalls(['c1', 'functions.look_up']),
      chat({ content: 'Done.' }, 'stop'),
    );
    expect((await run.result()).finalResponse.text).toBe('Done.');
    const [, , called, result] = [{}, ...chatMessages(server?.requests[1])] as ChatMessage[];
    expect(called?.tool_calls?.map(({ function: { name } }) => name)).toEqual(['invalid_name']);
    expect(result).toMatchObject({
      role: 'tool',
      content: expect.stringContaining("'functions.look_up'"),
    });
    expect((await run.transcript())[1]).toMatchObject({ parts: [{ name: 'functions.look_up' }] });
  });

  it('sends back each call under an id of its own', async () => {
    const run = await start(
      'openai-chat',
      chatCalls(['0', 'look_up'], ['0', 'look_up']),
      chatCalls(['0', 'look_up']),
      chat({ content: 'Done.' }, 'stop'),
    );
    expect((await run.result()).finalResponse.text).toBe('Done.');
    const sent = chatMessages(server?.requests[2]).flatMap((said) =>
      said.role === 'tool' ? [said.tool_call_id] : (said.tool_calls ?? []).map(({ id }) => id),
    );
    expect(sent).toEqual(['0', '0_2', '0', '0_2', '0_3', '0_3']);
  });

  it('goes on after a pause of the provider, with what the paused turn held', async () => {
    const search = {
      type: 'server_tool_use',
      id: 'srvtoolu_1',
      name: 'web_search',
      input: { query: 'tea' },
    };
    const run = await start(
      'anthropic-messages',
      message([{ type: 'text', text: 'Searching' }, search], 'pause_turn'),
      message([{ type: 'text', text: 'Found tea.' }], 'end_turn'),
    );
    expect(await run.result()).toMatchObject({
      finalResponse: { text: 'Found tea.' },
      usage: { inputTokens: 18, outputTokens: 6 },
    });
    expect(server?.requests[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text', text: 'Searching' }, search] },
    ]);
  });

  it('tells a refusal from an answer', async () => {
    const run = await start('anthropic-messages', message([], 'refusal'));
    expect(await run.result()).toMatchObject({
      completionReason: 'refused',
      finalResponse: { text: '', content: [{ type: 'refusal' }] },
      warnings: ['the model refused to answer: no reason was given'],
    });
  });
});
