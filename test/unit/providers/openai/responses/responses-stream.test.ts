// Pure: no server.
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { ModelDelta } from '../../../../../src/providers/provider';
import { ResponsesStream } from '../../../../../src/providers/openai/responses/responses-stream';
import { fixture, streamedResponse, target } from '../openai-fixtures';

describe('ResponsesStream', () => {
  it('passes on deltas of reasoning, text and interleaved calls', () => {
    expect(streamedResponse('responses-reasoning-and-calls').deltas).toEqual([
      { kind: 'reasoning', text: '**Looking up ' },
      { kind: 'reasoning', text: 'both cities**' },
      { kind: 'reasoning', text: '\n\n' },
      { kind: 'reasoning', text: 'Two calls can run at once.' },
      { kind: 'text', text: 'Let me ' },
      { kind: 'text', text: 'look.' },
      { kind: 'tool-call', index: 0, callId: 'call_aa', name: 'get_weather' },
      { kind: 'tool-call', index: 0, args: '{"city":' },
      { kind: 'tool-call', index: 1, callId: 'call_bb', name: 'get_time' },
      { kind: 'tool-call', index: 1, args: '{"city": "Oslo", "days": [1, 2]}' },
      { kind: 'tool-call', index: 0, args: '"Paris"}' },
      { kind: 'tool-call', index: 0, complete: true },
      { kind: 'tool-call', index: 1, complete: true },
    ]);
  });

  it('passes on a call that comes whole with its end', () => {
    const deltas: ModelDelta[] = [];
    const stream = new ResponsesStream(target, (delta) => deltas.push(delta));
    const item = { type: 'function_call', call_id: 'call_1', name: 'search', arguments: '{"a":1}' };
    stream.accept({ type: 'response.output_item.done', output_index: 0, item } as never);

    expect(deltas).toEqual([
      { kind: 'tool-call', index: 0, callId: 'call_1', name: 'search' },
      { kind: 'tool-call', index: 0, args: '{"a":1}', complete: true },
    ]);
  });

  it('takes the finished items, in order, when the last event lists no items', () => {
    const stream = new ResponsesStream(target, () => undefined);
    const events = fixture<ResponseStreamEvent>('responses-reasoning-and-calls');
    const items = events.filter((event) => event.type === 'response.output_item.done');
    for (const event of [...items].reverse()) stream.accept(event);
    const last = events.at(-1);
    if (last?.type === 'response.completed') {
      stream.accept({ ...last, response: { ...last.response, output: [] } });
    }

    expect(stream.finished?.output).toEqual(items.map(({ item }) => item));
  });

  it('is not complete before its final event', () => {
    const stream = new ResponsesStream(target, () => undefined);
    for (const event of fixture<ResponseStreamEvent>('responses-incomplete').slice(0, -1)) {
      stream.accept(event);
    }

    expect(stream.isComplete).toBe(false);
    expect(stream.finished).toBeUndefined();
  });

  it('tells a call that a cut left open with as much of its arguments as came', () => {
    const stream = new ResponsesStream(target, () => undefined);
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'search' };
    const [open, done] = [
      { ...call, arguments: '', status: 'in_progress' },
      { ...call, arguments: '{"query":', status: 'completed' },
    ];
    for (const event of [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.added', output_index: 0, item: open },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"query":' },
    ])
      stream.accept(event as never);

    expect(stream.finished).toBeUndefined();
    expect(stream.soFar).toEqual({ response: { id: 'resp_1' }, output: [done] });
  });

  it.each([null, 7, 'text', [], {}, { type: 'response.from_the_future' }])(
    'passes over %j',
    (event) => {
      const stream = new ResponsesStream(target, () => undefined);

      expect(() => stream.accept(event as never)).not.toThrow();
    },
  );

  it('throws an error event', () => {
    const stream = new ResponsesStream(target, () => undefined);
    const event = { type: 'error', code: 'server_error', message: 'Oops.', param: null };

    expect(() => stream.accept(event as never)).toThrow(
      expect.objectContaining({
        kind: 'unavailable',
        message: 'openai/gpt-5-mini: Oops.',
      }) as Error,
    );
  });
});
