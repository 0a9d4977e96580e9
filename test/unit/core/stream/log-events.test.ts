// Pure: no server. By a table: what a log says, and the events of its stream in short.
import type { LogEntry, LogEvent } from '../../../../src/protocol/log';
import { RunProjection } from '../../../../src/core/stream/run-projection';
import { call, errorResult, malformed, noUsage, result, text, user } from '../builders';
import {
  answered,
  type Case,
  decided,
  look,
  place,
  play,
  read,
  reasoning,
  said,
  short,
  turn,
} from './course';

const cases: readonly Case[] = [
  [
    'text',
    [read(said('hi'), turn(text('hello')))],
    ['user hi', 'step 1, attempt 1', '0 text: hello', 'end 1: text'],
  ],
  [
    'reasoning, text and two calls, whose results come later',
    [
      read(said('hi'), turn(reasoning('hm'), text('so'), look('a'), call('b'))),
      read(answered(result('b', 'two', { turn: 1, index: 1 }))),
      read(answered(result('a', 'one', { turn: 1, index: 0, name: 'look' }))),
    ],
    [
      'user hi',
      'step 1, attempt 1',
      '0 reasoning: hm',
      '1 text: so',
      '2 begin 0 look a',
      '2 args 0: {"x":1}',
      '2 call 0 look {"x":1}',
      '3 begin 1 add b',
      '3 args 1: {"x":1}',
      '3 call 1 add {"x":1}',
      'end 1: reasoning, text, tool_call, tool_call',
      'result 1.1 add: two',
      'result 1.0 look: one',
    ],
  ],
  [
    'inline results that come with their turn',
    [
      read(turn(look('a')), {
        ...answered(result('a', 'one', { turn: 1, index: 0 })),
        inline: true,
      } as LogEvent),
    ],
    [
      'step 1, attempt 1',
      '0 begin 0 look a',
      '0 args 0: {"x":1}',
      '0 call 0 look {"x":1}',
      'end 1: tool_call',
      'result 1.0 add: one',
    ],
  ],
  [
    'a structured answer in place of what the model wrote',
    [read(turn(text('well'), look('a')), decided({ kind: 'replace-turn', text: '{"city":1}' }))],
    ['step 1, attempt 1', '0 text: {"city":1}', 'end 1: text'],
  ],
  [
    'a repaired and an ignored call',
    [
      read(
        turn(call('a', 'nope', {}), call('b', 'lok', {}), look('c', {})),
        decided({ kind: 'ignore-call', index: 0 }),
        decided({ kind: 'repair-call', index: 1, name: 'look' }),
      ),
    ],
    [
      'step 1, attempt 1',
      '0 begin 0 look b',
      '0 args 0: {}',
      '0 call 0 look {}',
      '1 begin 1 look c',
      '1 args 1: {}',
      '1 call 1 look {}',
      'end 1: tool_call, tool_call',
    ],
  ],
  [
    'invalid calls, which the run itself answers',
    [
      read(
        turn(call('a', 'nope', {}), look('b', {})),
        decided({ kind: 'answer-calls', answers: [{ index: 0, text: 'no such tool' }] }),
      ),
    ],
    [
      'step 1, attempt 1',
      '0 begin 0 nope a',
      '0 args 0: {}',
      '0 call 0 nope {}',
      '1 begin 1 look b',
      '1 args 1: {}',
      '1 call 1 look {}',
      'end 1: tool_call, tool_call',
      'result 1.0 nope: no such tool',
      'result 1.1 look: not executed because another tool call of this turn was invalid',
    ],
  ],
  [
    'malformed arguments',
    [read(turn(malformed('a')), answered(errorResult('a', 'bad', 'add')))],
    [
      'step 1, attempt 1',
      '0 begin 0 add a',
      '0 args 0: {"x":',
      '0 call 0 add null',
      'end 1: tool_call',
    ],
  ],
  [
    'what a criterion missed, and another step',
    [read(turn(text('a')), decided({ kind: 'feedback', text: 'not yet' })), read(turn(text('b')))],
    [
      'step 1, attempt 1',
      '0 text: a',
      'end 1: text',
      'feedback on 1: not yet',
      'step 2, attempt 1',
      '0 text: b',
      'end 2: text',
    ],
  ],
  [
    'a pause of the provider, and the turn that goes on',
    [
      read({ ...turn(text('a')), finishReason: 'pause' }, decided({ kind: 'go-on' })),
      read(turn(text('b'))),
    ],
    [
      'step 1, attempt 1',
      '0 text: a',
      'end 1: text',
      'step 2, attempt 1',
      '0 text: b',
      'end 2: text',
    ],
  ],
  [
    'a message to the run between two steps',
    [
      read(
        turn(look('a', {})),
        answered(result('a', '1', { turn: 1, index: 0, name: 'look' })),
        said('faster'),
      ),
      read(turn(text('b'))),
    ],
    [
      'step 1, attempt 1',
      '0 begin 0 look a',
      '0 args 0: {}',
      '0 call 0 look {}',
      'end 1: tool_call',
      'result 1.0 look: 1',
      'user faster',
      'step 2, attempt 1',
      '0 text: b',
      'end 2: text',
    ],
  ],
  [
    'an approval with other arguments: the verdict, the change, then the result',
    [
      read(turn(look('a')), decided({ kind: 'preview', turn: 1, index: 0, text: 'pay 1' })),
      read(
        decided({
          kind: 'verdict',
          inputId: 'a1.0',
          verdict: 'approve',
          at: '2026-01-01',
          args: { x: 2 },
        }),
        decided({ kind: 'edit-call', turn: 1, index: 0, args: { x: 2 } }),
      ),
      read(answered(result('a', 'done', { turn: 1, index: 0, name: 'look' }))),
    ],
    [
      'step 1, attempt 1',
      '0 begin 0 look a',
      '0 args 0: {"x":1}',
      '0 call 0 look {"x":1}',
      'end 1: tool_call',
      'verdict approve a1.0',
      'edited 1.0 {"x":2}',
      'result 1.0 look: done',
    ],
  ],
  [
    'the history of the caller, summaries and cleared results: nothing',
    [
      read(
        decided({ kind: 'history', messages: [user('before')] }),
        said('hi'),
        turn(text('a')),
        decided({ kind: 'feedback', text: 'more' }),
        decided({ kind: 'clear-results', through: 1, over: 10 }),
        { kind: 'summary', text: 'so far', through: 0 },
        turn(text('b')),
      ),
    ],
    [
      'user hi',
      'step 1, attempt 1',
      '0 text: a',
      'end 1: text',
      'feedback on 1: more',
      'step 2, attempt 1',
      '0 text: b',
      'end 2: text',
    ],
  ],
  [
    'opaque parts and media only at the end, and a refusal as text',
    [
      read(
        turn(
          { type: 'opaque', label: 'search', sealed: { api: 'a', model: 'm', data: 1 } },
          { type: 'media', mediaType: 'image/png', source: { kind: 'url', url: 'u' } },
          { type: 'refusal', text: 'I will not' },
        ),
      ),
    ],
    ['step 1, attempt 1', '0 text: I will not', 'end 1: opaque, media, refusal'],
  ],
  ['an empty turn', [read(turn(text('')))], ['step 1, attempt 1', 'end 1: ']],
  [
    'calls that a message leaves without an answer',
    [read(turn(look('a', {})), said('stop'))],
    [
      'step 1, attempt 1',
      '0 begin 0 look a',
      '0 args 0: {}',
      '0 call 0 look {}',
      'end 1: tool_call',
      'result 1.0 look: not answered: the run was interrupted before this call had a result',
      'user stop',
    ],
  ],
  [
    'a decision about a turn in a later read: the step again',
    [read(turn(text('well'))), read(decided({ kind: 'replace-turn', text: 'mine' }))],
    [
      'step 1, attempt 1',
      '0 text: well',
      'end 1: text',
      'step 1, attempt 1',
      '0 text: mine',
      'end 1: text',
    ],
  ],
];

describe('RunProjection, from the log', () => {
  it.each(cases)('tells %s', (_name, happens, events) => {
    expect(play(happens).map(short)).toEqual(events);
  });

  it('says where each event belongs, who spoke, and what a step cost', () => {
    const origin = { provider: 'p', api: 'a', model: 'm' };
    const usage = { ...noUsage, outputTokens: 3 };
    const by = { id: 'ada' };
    const [message, , , end] = play([
      read(
        { kind: 'user', message: user('hi') as never, messageId: 'm1', by },
        { ...turn(text('a')), usage, origin, finishReason: 'stop' },
      ),
    ]);

    expect(message).toEqual({ ...place, type: 'user', message: user('hi'), messageId: 'm1', by });
    expect(end).toEqual({
      ...place,
      type: 'step-end',
      turn: 1,
      content: [text('a')],
      usage,
      origin,
      finishReason: 'stop',
    });
  });

  it('skips the entries that it knows, and refuses a hole', () => {
    const projection = new RunProjection(place);
    const entries = [said('hi'), turn(text('a'))].map((event, index): LogEntry => ({
      ...event,
      id: `${index}`,
    }));

    projection.log(0, entries.slice(0, 1));
    expect(projection.log(0, entries).map(short)).toEqual([
      'step 1, attempt 1',
      '0 text: a',
      'end 1: text',
    ]);
    expect(() => projection.log(3, entries)).toThrow('entries 2 to 3 are missing');
  });
});
