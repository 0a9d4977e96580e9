// A model that calls a tool which is not there, over real HTTP: its stream is cut, the run goes on.

import { defineAgent, defineTool } from '../../src';
import type { DeltaEvent } from '../../src/worker';
import { sseFrame } from '../contract/openai-wire';
import { LocalServer } from '../contract/provider-servers';
import { openHarness, type Harness } from './harness';

const chunk = (choice: object): string =>
  sseFrame({ id: 'chatcmpl-1', choices: [{ index: 0, ...choice }] });
const called = (id: string | undefined, fields: object): string =>
  chunk({
    delta: { tool_calls: [{ index: 0, ...(id !== undefined && { id }), function: fields }] },
  });
const usage = { prompt_tokens: 20, completion_tokens: 3 };

/** It never ends by itself. */
const doomed = {
  frames: [
    called('call_1', { name: 'search', arguments: '' }),
    called(undefined, { arguments: '{"query":"' }),
    ...Array.from({ length: 20 }, () => called(undefined, { arguments: 'tea '.repeat(500) })),
  ],
  then: 'hang',
} as const;
const answer = {
  frames: [
    chunk({ delta: { content: 'Done.' } }),
    chunk({ delta: {}, finish_reason: 'stop' }),
    sseFrame({ id: 'chatcmpl-1', choices: [], usage }),
    'data: [DONE]\n\n',
  ],
};

describe('a doomed turn', () => {
  let harness: Harness;
  let server: LocalServer;

  beforeEach(async () => {
    [harness, server] = await Promise.all([openHarness(), LocalServer.answering(doomed, answer)]);
  });
  afterEach(async () => {
    await harness.close();
    await server.stop();
  });

  it('is cut at the name, once, and the next turn completes the run', async () => {
    const tool = defineTool({
      name: 'look_up',
      description: 'Looks a word up',
      inputSchema: { type: 'object', properties: {} },
      execute: () => 'found',
    });
    const agent = defineAgent({ id: 'own', model: 'local/one', tools: [tool] });
    const config = { api: 'openai-chat', baseURL: `${server.url}/v1`, apiKey: 'none' } as const;
    const deltas: DeltaEvent[] = [];
    await harness.worker({
      runners: [agent],
      providers: { local: config },
      onDelta: (event) => void deltas.push(event),
    });
    const run = await harness.longhaul.startSpec(agent, 'Go.');

    expect(await run.result()).toMatchObject({
      finalResponse: { text: 'Done.' },
      usage: { inputTokens: 20, outputTokens: 3 },
    });
    await server.hungUp;
    expect(server.requests).toHaveLength(2);
    expect(deltas.filter(({ turn }) => turn === 1).map(({ delta }) => delta)).toEqual([
      { kind: 'tool-call', index: 0, callId: 'call_1', name: 'search' },
    ]);
    const said = "There is no tool 'search' to call now. Available: look_up.";
    expect((await run.transcript()).slice(1, 3)).toMatchObject([
      { role: 'assistant', parts: [{ type: 'tool_call', name: 'search', args: {} }] },
      { role: 'tool', parts: [{ isError: true, content: [{ type: 'text', text: said }] }] },
    ]);
  });
});
