// Pure: no server.
import type { JsonObject } from '../../../../src/base/json';
import type { ModelSettings } from '../../../../src/protocol/spec';
import { toMessagesRequest } from '../../../../src/providers/anthropic/to-messages-request';
import type { RequestToolChoice } from '../../../../src/providers/provider';
import { user } from '../../core/builders';
import { aRequest, assistant, result } from './wire-builders';

const marker = { type: 'ephemeral' };
const tools = ['look', 'search'].map((name) => ({
  name,
  description: `To ${name}`,
  inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
}));

function settingsBody(settings: ModelSettings): unknown {
  const {
    model: _model,
    stream: _stream,
    messages: _messages,
    cache_control: _marker,
    ...body
  } = toMessagesRequest(aRequest({ settings }));
  return body;
}

describe('toMessagesRequest', () => {
  it('writes the whole body', () => {
    const request = aRequest({ instructions: 'Be brief.', tools });

    expect(toMessagesRequest(request)).toEqual({
      model: 'claude-opus-5',
      tools: [
        { name: 'look', description: 'To look', input_schema: tools[0]?.inputSchema },
        { name: 'search', description: 'To search', input_schema: tools[1]?.inputSchema },
      ],
      tool_choice: { type: 'auto' },
      system: [{ type: 'text', text: 'Be brief.', cache_control: marker }],
      max_tokens: 16_384,
      cache_control: marker,
      stream: true,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
  });

  it('puts system messages of the history after the instructions', () => {
    const system = { role: 'system' as const, parts: [{ type: 'text' as const, text: 'Later.' }] };
    const request = aRequest({ instructions: 'First.', messages: [user('Hi'), system] });

    expect(toMessagesRequest(request).system).toEqual([
      { type: 'text', text: 'First.' },
      { type: 'text', text: 'Later.', cache_control: marker },
    ]);
  });

  it.each<[RequestToolChoice, object]>([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [{ only: ['look'] }, { type: 'tool', name: 'look' }],
    [{ only: ['look', 'search'] }, { type: 'any' }],
    [{ only: [] }, { type: 'none' }],
  ])('offers every tool, whatever the choice: %j', (toolChoice, wire) => {
    const body = toMessagesRequest(aRequest({ tools, toolChoice }));

    expect(body.tool_choice).toEqual(wire);
    expect(body.tools?.map((tool) => 'name' in tool && tool.name)).toEqual(['look', 'search']);
  });

  it.each<{ toolChoice: RequestToolChoice; thinks: boolean }>([
    { toolChoice: 'auto', thinks: true },
    { toolChoice: 'none', thinks: true },
    { toolChoice: 'required', thinks: false },
    { toolChoice: { only: ['look'] }, thinks: false },
    { toolChoice: { only: ['look', 'search'] }, thinks: false },
  ])('thinks unless a tool is forced: $toolChoice', ({ toolChoice, thinks }) => {
    const adaptive = { reasoning: { effort: 'high' } } as const;
    const budget = { reasoning: { budgetTokens: 4096 } };
    const [first, second] = [adaptive, budget].map((settings) =>
      toMessagesRequest(aRequest({ tools, toolChoice, settings })),
    );
    expect(first?.thinking).toEqual(thinks ? { type: 'adaptive' } : undefined);
    expect(first?.output_config).toEqual({ effort: 'high' });
    expect(second?.thinking?.type).toBe(thinks ? 'enabled' : undefined);
  });

  it('thinks where there is no tool to be forced', () => {
    const settings = { reasoning: { effort: 'high' } } as const;
    const body = toMessagesRequest(aRequest({ tools: [], toolChoice: 'required', settings }));
    expect(body.thinking).toEqual({ type: 'adaptive' });
  });

  it.each<[ModelSettings, object]>([
    [{ maxOutputTokens: 500 }, { max_tokens: 500 }],
    [
      { temperature: 0, stop: ['END'] },
      { max_tokens: 16_384, temperature: 0, stop_sequences: ['END'] },
    ],
    [{ stop: [] }, { max_tokens: 16_384 }],
    [
      { reasoning: { budgetTokens: 4096 } },
      { max_tokens: 20_480, thinking: { type: 'enabled', budget_tokens: 4096 } },
    ],
    [
      { reasoning: { budgetTokens: 4096 }, maxOutputTokens: 9000 },
      { max_tokens: 9000, thinking: { type: 'enabled', budget_tokens: 4096 } },
    ],
    [
      { reasoning: { effort: 'high' } },
      { max_tokens: 16_384, thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    [
      { reasoning: { effort: 'minimal' } },
      { max_tokens: 16_384, thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    ],
    [{ reasoning: { effort: 'none' } }, { max_tokens: 16_384, thinking: { type: 'disabled' } }],
    [{ extra: { service_tier: 'auto' } }, { max_tokens: 16_384, service_tier: 'auto' }],
  ])('writes the settings %j', (settings, body) => {
    expect(settingsBody(settings)).toEqual(body);
  });

  it('asks for structured output beside the effort', () => {
    const schema = { type: 'object', additionalProperties: false };
    const request = aRequest({
      output: { name: 'city', schema },
      settings: { reasoning: { effort: 'low' } },
    });

    expect(toMessagesRequest(request).output_config).toEqual({
      effort: 'low',
      format: { type: 'json_schema', schema },
    });
  });

  it.each<[string, JsonObject | undefined, JsonObject | undefined, unknown]>([
    [
      'as it is said last',
      { cache_control: null },
      { cache_control: { ...marker, ttl: '1h' } },
      { ...marker, ttl: '1h' },
    ],
    ['not at all', undefined, { cache_control: null }, undefined],
    [
      'as the worker says',
      { cache_control: { ...marker, ttl: '1h' } },
      undefined,
      { ...marker, ttl: '1h' },
    ],
  ])('marks the cache %s', (_name, configured, extra, expected) => {
    const settings = extra === undefined ? {} : { extra };
    const body = toMessagesRequest(aRequest({ instructions: 'Be brief.', settings }), configured);

    expect(body.cache_control).toEqual(expected);
    expect(body.system).toEqual([
      {
        type: 'text',
        text: 'Be brief.',
        ...(expected === undefined ? {} : { cache_control: expected }),
      },
    ]);
  });

  it('repeats the shorter body byte for byte at the start of the longer one', () => {
    const call = { type: 'tool_call', callId: 'toolu_1', name: 'look', args: {} } as const;
    const messages = [
      user('Hello'),
      assistant(call),
      result('toolu_1', 'ok'),
      assistant({ type: 'text', text: 'Done.' }),
      user('Thanks'),
    ];
    const bodies = [1, 3, 5].map((length) =>
      JSON.stringify(
        toMessagesRequest(
          aRequest({ instructions: 'Be brief.', tools, messages: messages.slice(0, length) }),
        ),
      ),
    );

    for (const [index, body] of bodies.slice(0, -1).entries()) {
      const open = body.slice(0, -']}'.length);
      expect(bodies[index + 1]?.startsWith(open)).toBe(true);
    }
  });
});
