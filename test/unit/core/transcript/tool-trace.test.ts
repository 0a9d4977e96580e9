// Pure: no server.
import { toolTrace } from '../../../../src/core/transcript/tool-trace';
import type { LogEvent } from '../../../../src/protocol/log';
import type { ToolCallPart, ToolResult } from '../../../../src/protocol/message';
import { call as callOf, noUsage, result, userEvent } from '../builders';

const call = (callId: string, args: ToolCallPart['args']): ToolCallPart => ({
  ...callOf(callId, 'search'),
  args,
});
const turn = (...content: ToolCallPart[]): LogEvent => ({
  kind: 'model-turn',
  content,
  usage: noUsage,
});
const resultEvent = (callId: string, rest: Partial<ToolResult>): LogEvent => ({
  kind: 'tool-result',
  result: result(callId, '', { name: 'search', ...rest }),
});
const asked = userEvent('Go');

describe('toolTrace', () => {
  it('tells of the calls of all turns in order, whichever ended first', () => {
    const events = [
      asked,
      turn(call('a', { q: 1 }), call('b', { q: 2 })),
      resultEvent('b', { turn: 1, index: 1, isError: true }),
      resultEvent('a', { turn: 1, index: 0, isError: false }),
      turn(call('c', null)),
      resultEvent('c', { turn: 2, index: 0, isError: true }),
    ];
    expect(toolTrace(events)).toEqual([
      { callId: 'a', name: 'search', args: { q: 1 } },
      { callId: 'b', name: 'search', args: { q: 2 }, isError: true },
      { callId: 'c', name: 'search', isError: true },
    ]);
  });

  it('leaves long arguments out, and the last of very many calls', () => {
    const long = call('long', { text: 'x'.repeat(1_024) });
    const many = Array.from({ length: 100 }, (_, index) =>
      call(`${index}`, { text: 'x'.repeat(900) }),
    );
    const trace = toolTrace([asked, turn(long, ...many)]);
    expect(trace[0]).toEqual({ callId: 'long', name: 'search', isError: true });
    expect(trace).toHaveLength(17);
  });

  it('is empty where no tool was called', () => {
    expect(toolTrace([asked, turn()])).toEqual([]);
  });
});
