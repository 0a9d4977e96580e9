// Pure: no server.
import fc from 'fast-check';
import { allMessages, foldLog, transcriptOf } from '../../../../src/core/transcript/fold-log';
import { toolTrace } from '../../../../src/core/transcript/tool-trace';
import { Transcript } from '../../../../src/core/transcript/transcript';
import type { Clearing, LogEvent } from '../../../../src/protocol/log';
import type { Message, ToolContent, ToolResult } from '../../../../src/protocol/message';
import { assistant, call, noUsage, result, text, tool, user, userEvent } from '../builders';

const summarised = (value: string): Message =>
  user(`Summary of the conversation so far:\n${value}`);
const clear = (through: number, rest: Partial<Clearing> = {}): LogEvent => ({
  kind: 'decision',
  decision: { kind: 'clear-results', through, over: 1_024, ...rest },
});
const summary = (through: number, value = 'S'): LogEvent => ({
  kind: 'summary',
  text: value,
  through,
});
const says = (...content: Extract<LogEvent, { kind: 'model-turn' }>['content']): LogEvent => ({
  kind: 'model-turn',
  content,
  usage: noUsage,
});
const long = 'x'.repeat(2_000);

/** A turn that calls one tool, with the result. */
function round(id: string, value = '2', rest: Partial<ToolResult> = {}): LogEvent[] {
  const { name = 'add' } = rest;
  return [
    says({ type: 'reasoning', text: `why ${id}` }, call(id, name)),
    { kind: 'tool-result', result: result(id, value, { ...rest, turn: 1, index: 0 }) },
  ];
}
const called = (id: string, value = '2', name = 'add'): Message[] => [
  assistant({ type: 'reasoning', text: `why ${id}` }, call(id, name)),
  tool(result(id, value, { name })),
];
const note = (bytes: number): string =>
  `[result of ${bytes} bytes cleared to save room; call the tool again if you need it]`;

describe('a summary', () => {
  const log = [userEvent('go'), ...round('a'), ...round('b'), ...round('c')];

  it('stands after the first message, in place of whole turns', () => {
    expect(foldLog([...log, summary(2)])).toEqual([user('go'), summarised('S'), ...called('c')]);
  });

  it('gives way to a later one', () => {
    const later = [...log, summary(1), ...round('d'), summary(3, 'T')];
    expect(foldLog(later)).toEqual([user('go'), summarised('T'), ...called('d')]);
  });

  it('may stand for no turn of the run', () => {
    expect(foldLog([userEvent('go'), summary(0)])).toEqual([user('go'), summarised('S')]);
  });

  it('keeps what the user said last before it, until the prompt is made smaller again', () => {
    const asked = [userEvent('go'), ...round('a'), userEvent('and?'), ...round('b'), summary(2)];
    const said = [...asked, userEvent('more')];
    const view = [user('go'), summarised('S'), user('and?')];
    expect(foldLog(asked)).toEqual(view);
    expect(foldLog(said)).toEqual([...view, user('more')]);
    const cleared = [...said, ...round('c'), clear(3)];
    expect(foldLog(cleared)).toEqual([user('go'), summarised('S'), user('more'), ...called('c')]);
  });

  it('leaves what the user said last, and what led to the turns that stay', () => {
    const asked = [
      ...log,
      says(text('which?')),
      userEvent('that one'),
      ...round('e'),
      ...round('f'),
    ];
    expect(foldLog([...asked, summary(5)])).toEqual([
      user('go'),
      summarised('S'),
      user('that one'),
      ...called('f'),
    ]);
    expect(foldLog([...asked, summary(4)]).slice(2)).toEqual([
      user('that one'),
      ...called('e'),
      ...called('f'),
    ]);
  });

  it('stands for the history that a caller gave, but not for its instructions', () => {
    const system: Message = { role: 'system', parts: [text('be kind')] };
    const messages = [system, user('before'), assistant(text('hi'))];
    const given: LogEvent = { kind: 'decision', decision: { kind: 'history', messages } };
    expect(foldLog([given, ...log, summary(2)])).toEqual([
      system,
      user('go'),
      summarised('S'),
      ...called('c'),
    ]);
  });

  it('takes nothing from the log, from all messages and from the list of called tools', () => {
    const whole = [user('go'), ...called('a'), ...called('b'), ...called('c')];
    const compacted = [...log, clear(3, { over: 0 }), summary(2)];
    expect(allMessages(compacted)).toEqual(whole);
    expect(toolTrace(compacted).map(({ callId }) => callId)).toEqual(['a', 'b', 'c']);
  });

  it('is made of the first message, the summary before it, and the turns since then', () => {
    const twice = transcriptOf([...log, summary(1), ...round('d')]);
    expect(twice.summarised(3)).toEqual([
      user('go'),
      summarised('S'),
      ...called('b'),
      ...called('c'),
    ]);
  });
});

describe('a cleared result', () => {
  it('is a note in its place, from the next request on', () => {
    const log = [userEvent('go'), ...round('a', long), ...round('b'), ...round('c', long)];
    expect(foldLog([...log, clear(2)])).toEqual([
      user('go'),
      ...called('a', note(2_000)),
      ...called('b'),
      ...called('c', long),
    ]);
  });

  it('invites to no other call of a tool that acts, for that would act again', () => {
    const log = [
      userEvent('go'),
      ...round('a', long, { name: 'read_page' }),
      ...round('b', long, { name: 'order' }),
      clear(2),
    ];
    const acted =
      '[result of 2000 bytes cleared to save room; the call has been made: do not make it again]';
    expect(foldLog(log, (name) => name === 'read_page')).toEqual([
      user('go'),
      ...called('a', note(2_000), 'read_page'),
      ...called('b', acted, 'order'),
    ]);
  });

  it('stays where a note would not be shorter', () => {
    const log = [userEvent('go'), ...round('a', 'x'.repeat(256)), clear(1, { over: 0 })];
    expect(foldLog(log)).toEqual([user('go'), ...called('a', 'x'.repeat(256))]);
  });

  it('stays where nobody should make the call again', () => {
    const log = [
      userEvent('go'),
      ...round('a', long, { name: 'pay' }),
      ...round('b', long, { name: 'ask_user' }),
      clear(2, { except: ['pay'] }),
    ];
    expect(foldLog(log)).toEqual(allMessages(log));
  });

  const storedText = (digest: string, bytes: number) => ({
    type: 'text' as const,
    text: long,
    stored: { digest, bytes },
  });

  const clearedOf = (content: ToolContent[]) =>
    foldLog([
      userEvent('go'),
      ...round('a', '', { name: 'pay', content }),
      clear(1, { except: ['pay'] }),
    ]).at(-1);

  it('names the references that read_result takes where the store still has it, whatever the tool', () => {
    const [one, other] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const told = `[result of 5000300 bytes cleared to save room; read it with read_result, ref "${one}", ref "${other}"]`;
    const content = [storedText(one, 5_000_000), storedText(other, 300)];
    const stored = { digest: one, bytes: 5_000_000 };
    expect(clearedOf(content)).toEqual(
      tool(result('a', '', { name: 'pay', content: [{ type: 'text', text: told, stored }] })),
    );
  });

  it('stays whole where the store has only a part of what nobody should call for again', () => {
    const content = [storedText('ab'.repeat(32), 5_000_000), { type: 'text' as const, text: long }];
    expect(clearedOf(content)).toEqual(tool(result('a', '', { name: 'pay', content })));
  });
});

describe('the view, of random logs', () => {
  const size = fc.nat(3_000);
  const event = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.nat(999), size).map(([id, n]) => round(`c${id}`, 'x'.repeat(n))),
    },
    { weight: 1, arbitrary: fc.constant([says(text('?')), userEvent('!')]) },
    {
      weight: 1,
      arbitrary: fc.constant([
        says(text('no')),
        { kind: 'decision', decision: { kind: 'feedback', text: 'more' } },
      ]),
    },
    { weight: 1, arbitrary: fc.tuple(fc.nat(9), size).map(([n, over]) => [clear(n, { over })]) },
    { weight: 1, arbitrary: fc.nat(9).map((n) => [summary(n)]) },
  );
  const logs = fc
    .array(event, { maxLength: 20 })
    .map((events) => [userEvent('first'), ...events.flat()]);
  const check = (property: (log: readonly LogEvent[]) => void): void =>
    fc.assert(fc.property(logs, property), { seed: 13, numRuns: 300 });

  it('has each call with its result in the next message', () => {
    check((log) => {
      const view = foldLog(log);
      view.forEach((message, index) => {
        const calls =
          message.role === 'assistant'
            ? message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))
            : [];
        const next = view[index + 1];
        const results = next?.role === 'tool' ? next.parts.map(({ callId }) => callId) : [];
        if (message.role === 'assistant') expect(results).toEqual(calls);
        else expect(results).toEqual([]);
      });
    });
  });

  it('has the first and the last message of the user, and the turns after the summary', () => {
    check((log) => {
      const view = foldLog(log);
      expect(view[0]).toEqual(user('first'));
      const last = log.findLast(({ kind }) => kind === 'user');
      expect(view).toContainEqual(last?.kind === 'user' ? last.message : undefined);
      const { through } = log.findLast((entry) => entry.kind === 'summary') ?? { through: 0 };
      const turns = log.filter(({ kind }) => kind === 'model-turn').slice(through);
      const shown = view.filter(({ role }) => role === 'assistant').map(({ parts }) => parts);
      expect(shown).toEqual(turns.map((turn) => (turn.kind === 'model-turn' ? turn.content : [])));
    });
  });

  it('only grows at its end when somebody says more', () => {
    check((log) => {
      const transcript = new Transcript();
      for (const each of log) {
        const before = transcript.fullHistory();
        transcript.apply(each);
        if (each.kind === 'user')
          expect(transcript.fullHistory()).toEqual([...before, each.message]);
      }
    });
  });

  it('is the same event by event, and what was said before is never lost', () => {
    check((log) => {
      const transcript = new Transcript();
      for (const [index, each] of log.entries()) {
        const before = transcript.everything();
        transcript.apply(each);
        if (each.kind === 'summary') expect(transcript.everything()).toEqual(before);
        expect(transcript.fullHistory()).toEqual(foldLog(log.slice(0, index + 1)));
      }
      const plain = log.filter(
        (each) =>
          each.kind !== 'summary' &&
          !(each.kind === 'decision' && each.decision.kind === 'clear-results'),
      );
      expect(allMessages(log)).toEqual(foldLog(plain));
    });
  });
});
