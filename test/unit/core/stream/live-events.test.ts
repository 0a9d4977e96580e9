// Pure: no server. By a table: what happens to a run whose model calls stream, and the events of its stream in short.
import { call, result, text } from '../builders';
import {
  answered,
  attempt,
  calls,
  type Case,
  decided,
  live,
  look,
  place,
  play,
  read,
  reasoning,
  said,
  says,
  short,
  thinks,
  turn,
} from './course';

const cases: readonly Case[] = [
  [
    'text that streamed: only the end',
    [read(said('hi')), live(...attempt({ turn: 1 }, says('hel', 'lo'))), read(turn(text('hello')))],
    ['user hi', 'step 1, attempt 1', '0 text: hel', '0 text: lo', 'end 1: text'],
  ],
  [
    'reasoning, text and two calls with their arguments, written as the model writes JSON',
    [
      read(said('hi')),
      live(
        ...attempt({ turn: 1 }, [
          ...thinks('h', 'm'),
          ...says('so'),
          ...calls(0, { name: 'look', callId: 'a' }, '{ "x"', ' : 1 }'),
          ...calls(1, { name: 'add', callId: 'b' }),
        ]),
      ),
      read(turn(reasoning('hm'), text('so'), look('a'), call('b', 'add', {}))),
    ],
    [
      'user hi',
      'step 1, attempt 1',
      '0 reasoning: h',
      '0 reasoning: m',
      '1 text: so',
      '2 begin 0 look a',
      '2 args 0: { "x"',
      '2 args 0:  : 1 }',
      '3 begin 1 add b',
      '2 call 0 look {"x":1}',
      '3 args 1: {}',
      '3 call 1 add {}',
      'end 1: reasoning, text, tool_call, tool_call',
    ],
  ],
  [
    'two texts of the log that streamed as one',
    [
      read(),
      live(...attempt({ turn: 1 }, says('one', 'two'))),
      read(turn(text('onet'), text('wo'))),
    ],
    ['step 1, attempt 1', '0 text: one', '0 text: two', 'end 1: text, text'],
  ],
  [
    'a refusal, and calls without an id',
    [
      read(said('hi')),
      live(...attempt({ turn: 1 }, [...says('no'), ...calls(0, { name: 'look' }, '{}')])),
      read(turn({ type: 'refusal', text: 'no' }, look('', {}))),
    ],
    [
      'user hi',
      'step 1, attempt 1',
      '0 text: no',
      '1 begin 0 look call_1_0',
      '1 args 0: {}',
      '1 call 0 look {}',
      'end 1: refusal, tool_call',
    ],
  ],
  [
    'a name that comes after the first arguments',
    [
      read(),
      live(
        ...attempt({ turn: 1 }, [
          { kind: 'tool-call', index: 0, callId: 'a', args: '{"x"' },
          { kind: 'tool-call', index: 0, name: 'look', args: ':1' },
          { kind: 'tool-call', index: 0, args: '}', complete: true },
        ]),
      ),
    ],
    ['step 1, attempt 1', '0 begin 0 look a', '0 args 0: {"x":1', '0 args 0: }'],
  ],
  [
    'a retried attempt in mid-text',
    [
      read(),
      live(
        ...attempt({ turn: 1 }, says('the ca')),
        ...attempt({ turn: 1, attempt: 2 }, says('a dog')),
      ),
      live(...attempt({ turn: 1 }, says('the ca', 't')).slice(-1)),
      read(turn(text('a dog'))),
    ],
    ['step 1, attempt 1', '0 text: the ca', 'step 1, attempt 2', '0 text: a dog', 'end 1: text'],
  ],
  [
    'a gap: the log brings the rest',
    [
      read(),
      live(...attempt({ turn: 1 }, says('a', 'b', 'c', 'd')).filter((_, index) => index !== 3)),
      read(turn(text('abcd'), look('x', {}))),
    ],
    [
      'step 1, attempt 1',
      '0 text: a',
      '0 text: b',
      '0 text: cd',
      '1 begin 0 look x',
      '1 args 0: {}',
      '1 call 0 look {}',
      'end 1: text, tool_call',
    ],
  ],
  [
    'an attempt whose beginning is lost: a step without text, until the log has it',
    [read(), live(...attempt({ turn: 1 }, says('a', 'b')).slice(2)), read(turn(text('ab')))],
    ['step 1, attempt 1', '0 text: ab', 'end 1: text'],
  ],
  [
    'merged deltas, and repeated ones',
    [
      read(),
      live(
        ...attempt({ turn: 1 }, says('abc')).map((event) =>
          event.kind === 'delta' ? { ...event, count: 3 } : event,
        ),
        ...attempt({ turn: 1 }, says('a', 'b', 'c', 'd')),
      ),
      read(turn(text('abcd'))),
    ],
    ['step 1, attempt 1', '0 text: abc', '0 text: d', 'end 1: text'],
  ],
  [
    'something else than the log has: the step again',
    [read(), live(...attempt({ turn: 1 }, says('a cat'))), read(turn(text('a dog')))],
    ['step 1, attempt 1', '0 text: a cat', 'step 1, attempt 1', '0 text: a dog', 'end 1: text'],
  ],
  [
    'more than the log has: the step again',
    [
      read(),
      live(...attempt({ turn: 1 }, [...says('a'), ...calls(0, { name: 'look', callId: 'x' })])),
      read(turn(text('a'))),
    ],
    [
      'step 1, attempt 1',
      '0 text: a',
      '1 begin 0 look x',
      'step 1, attempt 1',
      '0 text: a',
      'end 1: text',
    ],
  ],
  [
    'other arguments than the log has: the step again',
    [
      read(),
      live(...attempt({ turn: 1 }, calls(0, { name: 'look', callId: 'x' }, '{ "x": 2'))),
      read(turn(look('x'))),
    ],
    [
      'step 1, attempt 1',
      '0 begin 0 look x',
      '0 args 0: { "x": 2',
      'step 1, attempt 1',
      '0 begin 0 look x',
      '0 args 0: {"x":1}',
      '0 call 0 look {"x":1}',
      'end 1: tool_call',
    ],
  ],
  [
    'a call that the run repairs: the step again',
    [
      read(),
      live(...attempt({ turn: 1 }, calls(0, { name: 'lok', callId: 'x' }, '{}'))),
      read(turn(call('x', 'lok', {})), decided({ kind: 'repair-call', index: 0, name: 'look' })),
    ],
    [
      'step 1, attempt 1',
      '0 begin 0 lok x',
      '0 args 0: {}',
      'step 1, attempt 1',
      '0 begin 0 look x',
      '0 args 0: {}',
      '0 call 0 look {}',
      'end 1: tool_call',
    ],
  ],
  [
    'a model call that a message cuts: the message, then the call again',
    [
      read(said('hi')),
      live(...attempt({ turn: 1 }, says('first of all'))),
      read(said('stop that')),
      live(...attempt({ turn: 1, calledAt: 200 }, says('well'))),
      live(...attempt({ turn: 1 }, says('first of all', ', a')).slice(-1)),
      read(turn(text('well'))),
    ],
    [
      'user hi',
      'step 1, attempt 1',
      '0 text: first of all',
      'user stop that',
      'step 1, attempt 1',
      '0 text: well',
      'end 1: text',
    ],
  ],
  [
    'a message that the log shows after the step has begun: the step goes on after it',
    [
      read(said('hi')),
      live(...attempt({ turn: 1 }, says('a', 'b'))),
      read(said('faster')),
      live(...attempt({ turn: 1 }, says('a', 'b', 'c')).slice(-1)),
      read(turn(text('abc'))),
    ],
    [
      'user hi',
      'step 1, attempt 1',
      '0 text: a',
      '0 text: b',
      'user faster',
      'step 1, attempt 1',
      '0 text: abc',
      'end 1: text',
    ],
  ],
  [
    'live events before the log is known wait for it',
    [
      live(...attempt({ turn: 2 }, says('b', 'c'))),
      read(said('hi'), turn(text('a')), decided({ kind: 'feedback', text: 'more' })),
      live(...attempt({ turn: 2 }, says('b', 'c', 'd')).slice(-1)),
    ],
    [
      'user hi',
      'step 1, attempt 1',
      '0 text: a',
      'end 1: text',
      'feedback on 1: more',
      'step 2, attempt 1',
      '0 text: bc',
      '0 text: d',
    ],
  ],
  [
    'live events of a turn wait for the results before it',
    [
      read(turn(look('a', {}))),
      live(...attempt({ turn: 2 }, says('b'))),
      read(answered(result('a', '1', { turn: 1, index: 0, name: 'look' }))),
    ],
    [
      'step 1, attempt 1',
      '0 begin 0 look a',
      '0 args 0: {}',
      '0 call 0 look {}',
      'end 1: tool_call',
      'result 1.0 look: 1',
      'step 2, attempt 1',
      '0 text: b',
    ],
  ],
  [
    'the next step begins before the log has this one: it waits, and this one is not told again',
    [
      read(),
      live(...attempt({ turn: 1 }, says('a')), ...attempt({ turn: 2 }, says('b'))),
      read(turn(text('a'))),
    ],
    ['step 1, attempt 1', '0 text: a', 'end 1: text', 'step 2, attempt 1', '0 text: b'],
  ],
  [
    'live events of a turn that the log has: nothing',
    [
      read(turn(text('a'))),
      live(...attempt({ turn: 1 }, says('a')), ...attempt({ turn: 1, attempt: 2 }, says('b'))),
      live({ ...place, kind: 'moved' }),
    ],
    ['step 1, attempt 1', '0 text: a', 'end 1: text'],
  ],
  [
    'a call that left nothing in the log: results say how its run counts',
    [
      read(said('hi'), said('again'), turn(look('a', {}))),
      read(answered(result('a', '1', { turn: 2, index: 0, name: 'look' }))),
      live(...attempt({ turn: 3 }, says('b'))),
      read(turn(text('b'))),
    ],
    [
      'user hi',
      'user again',
      'step 1, attempt 1',
      '0 begin 0 look a',
      '0 args 0: {}',
      '0 call 0 look {}',
      'end 1: tool_call',
      'result 1.0 look: 1',
      'step 2, attempt 1',
      '0 text: b',
      'end 2: text',
    ],
  ],
];

describe('RunProjection, with live events', () => {
  it.each(cases)('%s', (_name, happens, events) => {
    expect(play(happens).map(short)).toEqual(events);
  });
});
