// Pure: no server.
import type { StreamEvent } from '../../../src/agent-run';
import { StreamedTurnAssembler } from '../../../src/agent-run';
import type { ReasoningPart } from '../../../src/protocol/message';
import { call, malformed, noUsage, text, thrown } from '../core/builders';

const sealed = { api: 'a', model: 'm', data: 's' };
const signed: ReasoningPart = { type: 'reasoning', text: 'hmm, yes', sealed };
const delta = (
  key: string,
  rest: Omit<Extract<StreamEvent, { type: 'tool-call-delta' }>, 'type' | 'key'>,
): StreamEvent => ({
  type: 'tool-call-delta',
  key,
  ...rest,
});
const forward = (event: StreamEvent) => ({ kind: 'forward', event });

const assembler = (): StreamedTurnAssembler => new StreamedTurnAssembler({ allowed: ['add'] });

function pushed(...events: StreamEvent[]): StreamedTurnAssembler {
  const assembled = assembler();
  for (const event of events) assembled.push(event);
  return assembled;
}

describe('StreamedTurnAssembler', () => {
  it('puts reasoning first, then text, then calls', () => {
    const turn = pushed(
      { type: 'tool-call', key: '1', call: call('c1') },
      { type: 'text', delta: 'let me ' },
      { type: 'reasoning', key: 'r', delta: 'hm' },
      { type: 'text', delta: 'see' },
      { type: 'reasoning-done', key: 'r', part: signed },
      { type: 'reasoning', key: 'r2', delta: 'and ' },
      { type: 'reasoning', key: 'r2', delta: 'so' },
    );

    const content = [signed, { type: 'reasoning', text: 'and so' }, text('let me see'), call('c1')];
    expect(turn.partialTurn()).toEqual({ content });
    expect(turn.finish()).toEqual(content);
  });

  it('is empty without events', () => {
    expect(assembler().finish()).toEqual([]);
  });

  it('keeps a completed reasoning block whatever comes later', () => {
    const turn = pushed(
      { type: 'reasoning-done', key: 'r', part: signed },
      { type: 'reasoning', key: 'r', delta: 'late' },
    );

    expect(turn.finish()).toEqual([signed]);
  });

  it.each<{ name: string; event: StreamEvent }>([
    { name: 'text', event: { type: 'text', delta: 'a' } },
    { name: 'reasoning', event: { type: 'reasoning', key: 'r', delta: 'a' } },
    {
      name: 'a completed reasoning block',
      event: { type: 'reasoning-done', key: 'r', part: signed },
    },
    { name: 'a call under an allowed name', event: delta('1', { callId: 'c1', name: 'add' }) },
  ])('forwards $name', ({ event }) => {
    expect(assembler().push(event)).toEqual([forward(event)]);
  });

  it('says nothing about a whole valid call, and reports the end', () => {
    const turn = assembler();

    expect(turn.push({ type: 'tool-call', key: '1', call: call('c1') })).toEqual([]);
    expect(turn.push({ type: 'finish', head: { usage: noUsage } })).toEqual([
      { kind: 'completed', head: { usage: noUsage } },
    ]);
  });

  it('assembles a call from its deltas, holding back what came before the name', () => {
    const turn = assembler();

    expect(turn.push(delta('1', { callId: 'c1', argsDelta: '{"x"' }))).toEqual([]);
    expect(turn.push(delta('1', { name: 'add' }))).toEqual([
      forward(delta('1', { callId: 'c1', name: 'add', argsDelta: '{"x"' })),
      forward(delta('1', { name: 'add' })),
    ]);
    expect(turn.push(delta('1', { argsDelta: ':1}' }))).toEqual([
      forward(delta('1', { argsDelta: ':1}' })),
    ]);
    expect(turn.finish()).toEqual([call('c1')]);
  });

  it.each([
    {
      name: 'malformed',
      argsDelta: '{"x":',
      part: { ...malformed('c1'), argsError: 'the arguments are not a JSON object' },
    },
    {
      name: 'no object',
      argsDelta: '[1]',
      part: { ...malformed('c1', 'add', '[1]'), argsError: 'the arguments are not a JSON object' },
    },
    { name: 'none', argsDelta: '', part: call('c1', 'add', {}) },
  ])('keeps a call whose arguments are $name', ({ argsDelta, part }) => {
    expect(pushed(delta('1', { callId: 'c1', name: 'add', argsDelta })).finish()).toEqual([part]);
  });

  it('prefers the whole call to its deltas', () => {
    const whole = { ...call('c1'), sealed };
    const turn = pushed(delta('1', { callId: 'c1', name: 'add', argsDelta: '{' }), {
      type: 'tool-call',
      key: '1',
      call: whole,
    });

    expect(turn.finish()).toEqual([whole]);
  });

  it('leaves a call still coming in out of the partial turn', () => {
    const turn = pushed(
      delta('1', { callId: 'c1', name: 'add', argsDelta: '{"x":1}' }),
      delta('2', { callId: 'c2', name: 'add', argsDelta: '{"x"' }),
      { type: 'tool-call', key: '3', call: malformed('c3') },
    );

    expect(turn.partialTurn()).toEqual({ content: [call('c1'), malformed('c3')] });
  });

  it('keeps calls in order of appearance', () => {
    const turn = pushed(
      delta('1', { callId: 'c1', name: 'add' }),
      { type: 'tool-call', key: '2', call: call('c2') },
      delta('1', { argsDelta: '{"x":1}' }),
    );

    expect(turn.finish()).toEqual([call('c1'), call('c2')]);
  });

  it('cannot finish a call that never had a name', () => {
    expect(
      thrown(() => pushed(delta('1', { callId: 'c1', argsDelta: '{}' })).finish()),
    ).toMatchObject({
      code: 'ProviderError',
      kind: 'bad_response',
      message: 'The stream ended before the tool call "c1" had a name.',
    });
    expect(thrown(() => pushed(delta('k', { argsDelta: '{}' })).finish())).toMatchObject({
      message: 'The stream ended before the tool call "k" had a name.',
    });
  });
});

describe('StreamedTurnAssembler with an invalid call', () => {
  const bad = delta('1', { callId: 'c1', name: 'nope', argsDelta: '{"x":' });
  const invalid = { key: '1', callId: 'c1', name: 'nope', argsText: '{"x":' };
  const open = (): StreamedTurnAssembler => pushed({ type: 'text', delta: 'so' }, bad);

  it.each<{ name: string; event: StreamEvent; argsText: string }>([
    { name: 'its first name', event: bad, argsText: '{"x":' },
    {
      name: 'the whole call',
      event: { type: 'tool-call', key: '1', call: call('c1', 'nope') },
      argsText: '{"x":1}',
    },
  ])('reports it at $name', ({ event, argsText }) => {
    expect(assembler().push(event)).toEqual([
      { kind: 'invalid-tool-call', invalid: { ...invalid, argsText } },
    ]);
  });

  it('takes nothing else while it is open', () => {
    const turn = open();

    for (const event of [
      { type: 'text', delta: 'x' },
      { type: 'finish', head: { usage: noUsage } },
    ] as const)
      expect(thrown(() => turn.push(event))).toMatchObject({ code: 'ProtocolError' });
    expect(thrown(() => turn.finish())).toMatchObject({ code: 'ProtocolError' });
    expect(turn.partialTurn()).toEqual({ content: [text('so')] });
  });

  it('replays what was held back under the repaired name, and goes on', () => {
    const turn = assembler();
    turn.push(delta('1', { callId: 'c1', argsDelta: '{' }));
    turn.push(delta('1', { name: 'nope', argsDelta: '"x":' }));

    expect(turn.resolve({ kind: 'repaired', name: 'add' })).toEqual([
      forward(delta('1', { callId: 'c1', name: 'add', argsDelta: '{' })),
      forward(delta('1', { name: 'add', argsDelta: '"x":' })),
    ]);
    expect(turn.push(delta('1', { argsDelta: '1}' }))).toEqual([
      forward(delta('1', { name: 'add', argsDelta: '1}' })),
    ]);
    expect(turn.push({ type: 'tool-call', key: '1', call: call('c1', 'nope') })).toEqual([]);
    expect(turn.finish()).toEqual([call('c1')]);
  });

  it('repairs a whole call', () => {
    const turn = pushed({ type: 'tool-call', key: '1', call: { ...call('c1', 'nope'), sealed } });

    expect(turn.resolve({ kind: 'repaired', name: 'add' })).toEqual([]);
    expect(turn.finish()).toEqual([{ ...call('c1'), sealed }]);
  });

  it('never shows an ignored call again', () => {
    const turn = open();

    expect(turn.resolve({ kind: 'ignored' })).toEqual([]);
    expect(turn.push(delta('1', { argsDelta: '1}' }))).toEqual([]);
    expect(turn.push({ type: 'tool-call', key: '1', call: call('c1', 'nope') })).toEqual([]);
    turn.push({ type: 'tool-call', key: '2', call: call('c2') });
    expect(turn.finish()).toEqual([text('so'), call('c2')]);
  });

  it('only waits for the end once abandoned', () => {
    const turn = open();

    expect(turn.resolve({ kind: 'abandoned' })).toEqual([]);
    expect(turn.push({ type: 'text', delta: 'x' })).toEqual([]);
    expect(turn.push(delta('2', { name: 'nope' }))).toEqual([]);
    expect(turn.push({ type: 'finish', head: { usage: noUsage } })).toEqual([
      { kind: 'completed', head: { usage: noUsage } },
    ]);
    expect(thrown(() => turn.finish())).toMatchObject({ code: 'ProtocolError' });
  });

  it('refuses a repair to a name not allowed either, and stays open', () => {
    const turn = open();

    expect(thrown(() => turn.resolve({ kind: 'repaired', name: 'worse' }))).toMatchObject({
      code: 'ProtocolError',
    });
    expect(turn.resolve({ kind: 'repaired', name: 'add' })).toHaveLength(1);
  });

  it('refuses a resolution of nothing', () => {
    expect(thrown(() => assembler().resolve({ kind: 'ignored' }))).toMatchObject({
      code: 'ProtocolError',
    });
  });
});
