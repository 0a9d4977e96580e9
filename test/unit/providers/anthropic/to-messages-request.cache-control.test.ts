// Pure: no server.
import { toMessagesRequest } from '../../../../src/providers/anthropic/to-messages-request';
import { user } from '../../core/builders';
import { aRequest, assistant } from './wire-builders';

const marker = { type: 'ephemeral' };
const tool = { name: 'look', description: 'To look', inputSchema: { type: 'object' } };

function afterCalls(count: number): unknown[] {
  const ids = Array.from({ length: count }, (_value, index) => `toolu_${index}`);
  const calls = ids.map((callId) => ({
    type: 'tool_call' as const,
    callId,
    name: 'look',
    args: {},
  }));
  const results = ids.map((callId) => ({
    type: 'tool_result' as const,
    callId,
    name: 'look',
    isError: false,
    content: [],
  }));
  const messages = [
    user('Look around'),
    assistant(...calls),
    { role: 'tool' as const, parts: results },
  ];
  return toMessagesRequest(aRequest({ messages })).messages;
}

describe('withCacheMarkers', () => {
  it('marks the last tool when there are no instructions', () => {
    const body = toMessagesRequest(aRequest({ tools: [tool, { ...tool, name: 'search' }] }));

    expect(body.tools?.map(({ cache_control: found }) => found)).toEqual([undefined, marker]);
    expect(body.cache_control).toEqual(marker);
  });

  it('leaves messages alone while the API finds the earlier entry by itself', () => {
    expect(JSON.stringify(afterCalls(9))).not.toContain('cache_control');
  });

  it('marks where the request before ended when a turn is longer than the API looks back', () => {
    const [first, ...others] = afterCalls(10);

    expect(first).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Look around', cache_control: marker }],
    });
    expect(JSON.stringify(others)).not.toContain('cache_control');
  });
});
