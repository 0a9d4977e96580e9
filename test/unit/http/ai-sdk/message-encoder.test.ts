import { readUIMessageStream, type UIMessage, uiMessageChunkSchema, type UIMessageChunk } from 'ai';
import { emptyDigest, extendDigest } from '../../../../src/base/digest';
import type { JsonObject } from '../../../../src/base/json';
import { emptyUsage } from '../../../../src/core/budget/usage';
import { MessageEncoder } from '../../../../src/http/ai-sdk/message-encoder';
import { showsCall } from '../../../../src/http/ai-sdk/shown-calls';
import type { UiChunk } from '../../../../src/http/ai-sdk/chunks';
import type { PendingInput } from '../../../../src/protocol/run';
import type { StreamEvent } from '../../../../src/core/stream/events';

const root = { root: 'turn-1', workflowId: 'turn-1', path: 'desk', agent: 'desk' };
const below = { root: 'turn-1', workflowId: 'turn-1/child', path: 'desk/books', agent: 'books' };
const suffix = (workflowId: string): string => `@${extendDigest(emptyDigest, workflowId)}`;

const at = (place: typeof root, event: object): StreamEvent =>
  ({ ...place, position: 'p', ...event }) as unknown as StreamEvent;
const own = (event: object): StreamEvent => at(root, event);

const text = (turn: number, ...deltas: string[]): StreamEvent[] => [
  own({ type: 'step-begin', turn, attempt: 1 }),
  ...deltas.map((delta) => own({ type: 'text', turn, part: 0, delta })),
];
const stepEnd = (
  turn: number,
  finishReason = 'stop',
  content: readonly object[] = [],
): StreamEvent => own({ type: 'step-end', turn, content, finishReason, usage: emptyUsage });

const call = (
  place: typeof root,
  {
    turn,
    index = 0,
    callId = `call-${turn}`,
    name = 'pay',
    args = { amount: 1 },
  }: {
    turn: number;
    index?: number;
    callId?: string;
    name?: string;
    args?: JsonObject | null;
  },
): StreamEvent[] => {
  const id = { turn, index, callId, part: index };
  const part = {
    type: 'tool_call',
    callId,
    name,
    args,
    ...(args === null && { rawArgs: '{', argsError: 'no JSON' }),
  };
  return [
    at(place, { type: 'call-begin', name, ...id }),
    at(place, { type: 'call-delta', delta: JSON.stringify(args), ...id }),
    at(place, { type: 'call', call: part, ...id }),
  ];
};

const result = (place: typeof root, turn: number, value: string, isError = false): StreamEvent =>
  at(place, {
    type: 'result',
    turn,
    index: 0,
    callId: `call-${turn}`,
    name: 'pay',
    result: {
      type: 'tool_result',
      callId: `call-${turn}`,
      name: 'pay',
      isError,
      content: [{ type: 'text', text: value }],
    },
  });

const pending = (place: typeof root, over: Partial<PendingInput>): PendingInput => ({
  inputId: `a1.0${suffix(place.workflowId)}`,
  kind: 'approval',
  question: 'Pay?',
  agentId: place.agent,
  path: place.path,
  since: '2026-01-01T00:00:00.000Z',
  ...over,
});
const paused = (...inputs: PendingInput[]): StreamEvent =>
  own({ type: 'paused', pauseSeq: 1, pending: inputs });
const verdict = (place: typeof root, over: object): StreamEvent =>
  at(place, { type: 'verdict', verdict: { kind: 'verdict', inputId: 'a1.0', at: 'now', ...over } });
const end = own({ type: 'end', status: 'completed' });

function encode(events: readonly StreamEvent[]): UiChunk[] {
  const encoder = new MessageEncoder('turn-1');
  return [encoder.start(), ...events.flatMap((event) => encoder.push(event))];
}

/** What the client's own reader makes of the chunks. Each must pass the protocol's schema. */
async function messageOf(chunks: readonly UiChunk[], before?: UIMessage): Promise<UIMessage> {
  const schema = uiMessageChunkSchema();
  for (const chunk of chunks)
    expect(await schema.validate?.(chunk)).toMatchObject({ success: true });
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks)
        controller.enqueue(JSON.parse(JSON.stringify(chunk)) as UIMessageChunk);
      controller.close();
    },
  });
  let last = before;
  for await (const message of readUIMessageStream({
    stream,
    terminateOnError: true,
    ...(before && { message: structuredClone(before) }),
  }))
    last = message;
  return JSON.parse(JSON.stringify(last)) as UIMessage;
}

describe('a message of the AI SDK', () => {
  it('has text, reasoning and calls of each step', async () => {
    const events = [
      own({ type: 'user', message: { role: 'user', parts: [] } }),
      own({ type: 'step-begin', turn: 1, attempt: 1 }),
      own({ type: 'reasoning', turn: 1, part: 0, delta: 'Hm' }),
      own({ type: 'text', turn: 1, part: 1, delta: 'Let ' }),
      own({ type: 'text', turn: 1, part: 1, delta: 'me.' }),
      ...call(root, { turn: 1 }),
      stepEnd(1, 'tool_calls'),
      result(root, 1, 'paid'),
      ...text(2, 'Done'),
      stepEnd(2),
      end,
    ];
    expect((await messageOf(encode(events))).parts).toEqual([
      { type: 'step-start' },
      { type: 'reasoning', id: '1.0', text: 'Hm', state: 'done' },
      { type: 'text', text: 'Let me.', state: 'done' },
      {
        type: 'tool-pay',
        toolCallId: `1.0${suffix('turn-1')}`,
        state: 'output-available',
        input: { amount: 1 },
        output: 'paid',
      },
      { type: 'step-start' },
      { type: 'text', text: 'Done', state: 'done' },
    ]);
    expect(encode(events).at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
  });

  it('forgets what a lost attempt said, with its calls', async () => {
    const events = [
      ...text(1, 'Lost te'),
      ...call(root, { turn: 1 }),
      own({ type: 'step-begin', turn: 1, attempt: 2 }),
      own({ type: 'text', turn: 1, part: 0, delta: 'Kept' }),
      ...call(root, { turn: 1, index: 1 }),
      stepEnd(1, 'tool_calls'),
      end,
    ];
    const { parts } = await messageOf(encode(events));
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'Kept' },
      { type: 'tool-pay', toolCallId: `1.1${suffix('turn-1')}`, state: 'input-available' },
    ]);
  });

  it('keeps a message that cuts a step, and not what the step said', async () => {
    const prompt = own({ type: 'user', message: { role: 'user', parts: [] } });
    const said = { role: 'user', parts: [{ type: 'text', text: 'Faster' }] };
    // Positions say how far runs below were read, too: they differ for who comes later.
    const later = (position: string): StreamEvent[] => [
      own({ type: 'user', message: said, position }),
      ...text(1, 'Well'),
      stepEnd(1),
      end,
    ];
    const cut = [prompt, ...text(1, 'First of all'), ...call(root, { turn: 1 }).slice(0, 2)];

    const message = await messageOf(encode([...cut, ...later('p1')]));

    expect(message.parts.filter(({ type }) => type !== 'step-start')).toMatchObject([
      { type: 'steering-message', parts: [{ type: 'text', text: 'Faster' }] },
      { type: 'text', text: 'Well' },
    ]);
    expect(message).toEqual(await messageOf(encode([prompt, ...later('p2')])));
  });

  const twice = [1, 2].flatMap((turn) => [
    own({ type: 'step-begin', turn, attempt: 1 }),
    ...call(root, { turn, callId: 'call_0' }),
    stepEnd(turn, 'tool_calls'),
  ]);
  const idsOf = (chunks: readonly UiChunk[]): unknown[] =>
    chunks.flatMap((chunk) => (chunk.type === 'tool-input-available' ? [chunk['toolCallId']] : []));
  const waits = pending(root, {
    inputId: `t2.0${suffix('turn-1')}`,
    kind: 'tool',
    call: { type: 'tool_call', callId: 'call_0', name: 'pay', args: {} },
  });

  it('has ids of calls that no other step and no other message has', () => {
    expect(idsOf(encode(twice))).toEqual([`1.0${suffix('turn-1')}`, `2.0${suffix('turn-1')}`]);
    expect(showsCall(waits, `2.0${suffix('turn-1')}`, new Set())).toBe(true);
    expect(showsCall(waits, `2.0${suffix('turn-2')}`, new Set())).toBe(false);
    expect(showsCall(waits, `1.0${suffix('turn-1')}`, new Set())).toBe(false);
    expect(showsCall(waits, 'call_0', new Set())).toBe(false);
  });

  it('goes on with the ids that a page has from an older version', () => {
    const had = new Set(['call_0', 'call_0~2.0']);
    const encoder = new MessageEncoder('turn-1', had);
    const third = [
      own({ type: 'step-begin', turn: 3, attempt: 1 }),
      ...call(root, { turn: 3, callId: 'call_0' }),
    ];
    const chunks = [...twice, ...third].flatMap((event) => encoder.push(event));
    expect(idsOf(chunks)).toEqual(['call_0', 'call_0~2.0', `3.0${suffix('turn-1')}`]);
    expect(showsCall(waits, 'call_0~2.0', had)).toBe(true);
    expect(showsCall(waits, 'call_0', had)).toBe(false);
  });

  it('shows wrong arguments and errors of tools', async () => {
    const events = [
      own({ type: 'step-begin', turn: 1, attempt: 1 }),
      ...call(root, { turn: 1, args: null }),
      stepEnd(1, 'tool_calls'),
      result(root, 1, 'the arguments are no JSON', true),
      end,
    ];
    expect((await messageOf(encode(events))).parts[1]).toMatchObject({
      state: 'output-error',
      errorText: 'the arguments are no JSON',
    });
  });

  it.each([
    [
      'cancelled',
      [
        { type: 'abort', reason: 'stop' },
        { type: 'finish', finishReason: 'interrupted' },
      ],
    ],
    ['failed', [{ type: 'error', errorText: 'stop' }]],
  ])('tells that a run was %s', (status, chunks) => {
    const last = own({ type: 'end', status, error: { code: 'RunCancelled', message: 'stop' } });
    expect(encode([...text(1, 'a'), last]).slice(-chunks.length)).toEqual(chunks);
  });

  it('tells of a worker that is away, for this moment only', async () => {
    const chunks = encode([
      own({ type: 'stalled', reason: 'worker' }),
      ...text(1, 'a'),
      stepEnd(1),
    ]);
    expect(chunks[1]).toMatchObject({ transient: true, data: { reason: 'worker' } });
    expect((await messageOf(chunks)).parts).toHaveLength(2);
  });
});

describe('an approval', () => {
  const before = [
    own({ type: 'step-begin', turn: 1, attempt: 1 }),
    ...call(root, { turn: 1 }),
    stepEnd(1, 'tool_calls'),
  ];
  const open = paused(pending(root, { digest: 'd1' }));
  const approved = verdict(root, { verdict: 'approve', digest: 'd1', args: { amount: 2 } });
  const edited = own({
    type: 'call-edited',
    turn: 1,
    index: 0,
    callId: 'call-1',
    args: { amount: 2 },
  });
  const rejected = verdict(root, { verdict: 'reject', digest: 'd1' });

  it('keeps what the agent wanted beside what a person changed', async () => {
    const events = [...before, open, approved, edited, result(root, 1, 'paid')];
    const { parts } = await messageOf(encode(events));
    expect(parts[1]).toMatchObject({
      input: { amount: 2 },
      callProviderMetadata: { longhaul: { args: { amount: 1 } } },
    });
  });

  it.each([
    [
      'approved with other arguments',
      [approved, edited, result(root, 1, 'paid')],
      'output-available',
    ],
    ['rejected', [rejected, result(root, 1, 'too much', true)], 'output-denied'],
  ])('%s is equal for who watched, who answered and who reloads', async (_name, after, state) => {
    const rest = [...after, ...text(2, 'Done'), stepEnd(2), end];
    const encoder = new MessageEncoder('turn-1');
    const first = [encoder.start(), ...[...before, open].flatMap((event) => encoder.push(event))];
    const second = [encoder.start(), ...rest.flatMap((event) => encoder.push(event))];
    const shown = await messageOf(first);
    expect(shown.parts[1]).toMatchObject({
      state: 'approval-requested',
      approval: { id: `a1.0${suffix('turn-1')}`, descriptor: { digest: 'd1' } },
    });

    const answered = await messageOf(second, shown);
    const reloaded = await messageOf(encode([...before, ...rest]));

    expect(answered).toEqual(reloaded);
    expect(reloaded.parts[1]).toMatchObject({
      state,
      approval: { approved: state !== 'output-denied' },
    });
    expect(reloaded.parts.at(-1)).toMatchObject({ text: 'Done' });
  });

  it('of a run below stands in a step of its own', async () => {
    const events = [
      own({ type: 'step-begin', turn: 1, attempt: 1 }),
      ...call(root, { turn: 1, name: 'books' }),
      stepEnd(1, 'tool_calls'),
      at(below, { type: 'step-begin', turn: 1, attempt: 1 }),
      ...call(below, { turn: 1 }),
      at(below, { type: 'step-end', turn: 1, content: [], usage: emptyUsage }),
    ];
    const open = [
      own({ type: 'input', input: pending(below, {}) }),
      paused(pending(below, { digest: 'd' })),
    ];
    const after = [
      verdict(below, { verdict: 'approve', digest: 'd' }),
      result(below, 1, 'paid'),
      result(root, 1, 'all paid'),
      ...text(2, 'Done'),
      stepEnd(2),
      end,
    ];
    const encoder = new MessageEncoder('turn-1');
    const first = [
      encoder.start(),
      ...[...events, ...open].flatMap((event) => encoder.push(event)),
    ];
    const shown = await messageOf(first);
    expect(shown.parts.slice(2)).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', toolName: 'pay', state: 'approval-requested', input: { amount: 1 } },
    ]);
    const second = [encoder.start(), ...after.flatMap((event) => encoder.push(event))];
    const reloaded = await messageOf(encode([...events, ...after]));
    expect(await messageOf(second, shown)).toEqual(reloaded);
    expect(reloaded.parts[1]).toMatchObject({ output: 'all paid', state: 'output-available' });
    expect(reloaded.parts[3]).toMatchObject({ output: 'paid', approval: { approved: true } });
  });

  it('is not one of several votes', () => {
    const votes = [verdict(root, { verdict: 'approve', isVote: true })];
    expect(encode([...before, ...votes])).toEqual(encode(before));
  });
});

describe('an input without a call', () => {
  it('is shown as a dynamic tool', async () => {
    const input = pending(root, { inputId: 'b1', kind: 'budget', question: 'More?' });
    const { parts } = await messageOf(encode([...text(1, 'a'), stepEnd(1), paused(input)]));
    expect(parts.at(-1)).toMatchObject({
      type: 'dynamic-tool',
      toolName: 'budget',
      toolCallId: 'b1',
      input: { question: 'More?' },
    });
    expect(showsCall(input, 'b1', new Set())).toBe(true);
  });
});
