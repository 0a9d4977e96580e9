// Pure: no server.
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages/messages';
import { fromMessage } from '../../../../src/providers/anthropic/from-message';
import { MessageAccumulator } from '../../../../src/providers/anthropic/message-accumulator';
import type { ModelDelta } from '../../../../src/providers/provider';
import thinkingAndCalls from '../../../fixtures/anthropic/thinking-and-calls.json';
import { origin, seal } from './wire-builders';

const recorded = thinkingAndCalls as unknown as RawMessageStreamEvent[];

function accumulated(events: readonly unknown[]): {
  accumulator: MessageAccumulator;
  deltas: ModelDelta[];
} {
  const deltas: ModelDelta[] = [];
  const accumulator = new MessageAccumulator((delta) => deltas.push(delta));
  for (const event of events) accumulator.accept(event as RawMessageStreamEvent);
  return { accumulator, deltas };
}

describe('MessageAccumulator', () => {
  it('puts a turn of thinking, text and parallel calls together', () => {
    const { accumulator } = accumulated(recorded);

    expect(fromMessage(accumulator.message(), origin, 'req_1')).toEqual({
      content: [
        {
          type: 'reasoning',
          text: 'Two cities, two calls.',
          sealed: seal({ signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' }),
        },
        {
          type: 'reasoning',
          text: '',
          redacted: true,
          sealed: seal({ data: 'EmwKAhgBEgy3va3pzix/LafPsn4a' }),
        },
        { type: 'text', text: 'I will look.' },
        {
          type: 'tool_call',
          callId: 'toolu_01A09q90qw90lq917835lq9',
          name: 'get_weather',
          args: { city: 'Paris' },
          sealed: seal({ caller: { type: 'direct' } }),
        },
        {
          type: 'tool_call',
          callId: 'toolu_01B19q90qw90lq917835lr0',
          name: 'list_cities',
          args: {},
          sealed: seal({ caller: { type: 'direct' } }),
        },
      ],
      usage: {
        inputTokens: 2312,
        outputTokens: 89,
        totalTokens: 2401,
        cacheReadTokens: 2000,
        cacheWriteTokens: 300,
        reasoningTokens: 40,
      },
      finishReason: 'tool_calls',
      origin,
      ids: { message: 'msg_01XFDUDYJgAACzvnptvVoYEL', request: 'req_1' },
    });
  });

  it('shows what streams, calls numbered within the turn', () => {
    expect(accumulated(recorded).deltas).toEqual([
      { kind: 'reasoning', text: 'Two cities, ' },
      { kind: 'reasoning', text: 'two calls.' },
      { kind: 'text', text: 'I will ' },
      { kind: 'text', text: 'look.' },
      {
        kind: 'tool-call',
        index: 0,
        callId: 'toolu_01A09q90qw90lq917835lq9',
        name: 'get_weather',
      },
      { kind: 'tool-call', index: 0, args: '' },
      { kind: 'tool-call', index: 0, args: '{"city": "Pa' },
      { kind: 'tool-call', index: 0, args: 'ris"}' },
      { kind: 'tool-call', index: 0, complete: true },
      {
        kind: 'tool-call',
        index: 1,
        callId: 'toolu_01B19q90qw90lq917835lr0',
        name: 'list_cities',
      },
      { kind: 'tool-call', index: 1, complete: true },
    ]);
  });

  it('shows the input of a call that comes whole with its start', () => {
    const input = { city: 'Paris' };
    const block = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input };
    const { deltas } = accumulated([
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
    ]);
    expect(deltas).toEqual([
      { kind: 'tool-call', index: 0, callId: 'toolu_1', name: 'get_weather' },
      { kind: 'tool-call', index: 0, args: '{"city":"Paris"}', complete: true },
    ]);
  });

  it('is complete with the last event and not before', () => {
    expect(accumulated(recorded.slice(0, -1)).accumulator.isComplete).toBe(false);
    expect(accumulated(recorded).accumulator.isComplete).toBe(true);
  });

  it('collects citations and the input of server tools', () => {
    const { accumulator } = accumulated([
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"query":"sun"}' },
      },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'text', text: '', citations: null },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'citations_delta', citation: { type: 'char_location' } },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Sunny.' } },
    ]);

    expect(accumulator.message().content).toEqual([
      {
        type: 'server_tool_use',
        id: 'srvtoolu_1',
        name: 'web_search',
        input: { query: 'sun' },
      },
      { type: 'text', text: 'Sunny.', citations: [{ type: 'char_location' }] },
    ]);
  });

  it('takes the first words out of the start of a block', () => {
    const { accumulator, deltas } = accumulated([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hel' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
    ]);

    expect(accumulator.message().content).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(deltas).toEqual([
      { kind: 'text', text: 'Hel' },
      { kind: 'text', text: 'lo' },
    ]);
  });

  it('orders blocks by their index, however large a server makes it', () => {
    const { accumulator } = accumulated([
      { type: 'content_block_start', index: 4e9, content_block: { type: 'text', text: 'last' } },
      { type: 'content_block_start', index: 2e9, content_block: { type: 'text', text: 'first' } },
    ]);

    expect(accumulator.message().content).toEqual([
      { type: 'text', text: 'first' },
      { type: 'text', text: 'last' },
    ]);
  });

  it('passes over events and deltas it does not know', () => {
    const { accumulator, deltas } = accumulated([
      { type: 'ping' },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'new_delta', x: 1 } },
      { type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'lost' } },
      { type: 'something_new' },
    ]);

    expect(accumulator.message().content).toEqual([{ type: 'text', text: '' }]);
    expect(deltas).toEqual([]);
  });
});
