// Pure: no server.
import { foldMemory, saidTurns, turnsOf } from '../../../../src/core/transcript/memory';
import { emptyUsage } from '../../../../src/core/budget/usage';
import type { LogEntry, LogEvent } from '../../../../src/protocol/log';
import type { MemorySpec } from '../../../../src/protocol/spec';

function turn(text: string): LogEvent[] {
  return [
    { kind: 'user', message: { role: 'user', parts: [{ type: 'text', text }] } },
    { kind: 'model-turn', content: [{ type: 'text', text: `<${text}>` }], usage: emptyUsage },
  ];
}

function entriesOf(...events: readonly LogEvent[]): LogEntry[] {
  return events.map((event, index) => ({ id: `e/${index}`, ...event }));
}

function texts(entries: readonly LogEntry[], memory?: MemorySpec): string[] {
  return foldMemory(entries, memory).map(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(' '),
  );
}

const three = [...turn('a'), ...turn('b'), ...turn('c')];
const summary: LogEvent = { kind: 'summary', text: 'S', through: 2 };
const introduced = 'Summary of the conversation so far:\nS';

describe('foldMemory', () => {
  it.each<{ name: string; events: readonly LogEvent[]; memory?: MemorySpec; given: string[] }>([
    { name: 'nothing of nothing', events: [], given: [] },
    { name: 'all turns', events: three, given: ['a', '<a>', 'b', '<b>', 'c', '<c>'] },
    {
      name: 'the last turns of a window',
      events: three,
      memory: { kind: 'windowed', turns: 1 },
      given: ['c', '<c>'],
    },
    { name: 'none', events: three, memory: { kind: 'windowed', turns: 0 }, given: [] },
    {
      name: 'all there are of a large window',
      events: three,
      memory: { kind: 'windowed', turns: 9 },
      given: ['a', '<a>', 'b', '<b>', 'c', '<c>'],
    },
    {
      name: 'a summary for the turns it stands for',
      events: [...three, summary, ...turn('d')],
      given: [introduced, 'c', '<c>', 'd', '<d>'],
    },
    {
      name: 'the last summary only',
      events: [...three, { kind: 'summary', text: 'old', through: 1 }, summary],
      given: [introduced, 'c', '<c>'],
    },
    {
      name: 'no summary where the window is behind it',
      events: [...three, summary],
      memory: { kind: 'windowed', turns: 1 },
      given: ['c', '<c>'],
    },
    {
      name: 'a summary where the window reaches into it',
      events: [...three, summary],
      memory: { kind: 'windowed', turns: 2 },
      given: [introduced, 'c', '<c>'],
    },
  ])('gives $name', ({ events, memory, given }) => {
    expect(texts(entriesOf(...events), memory)).toEqual(given);
  });
});

it('turnsOf leaves summaries out', () => {
  const entries = entriesOf(...turn('a'), summary, ...turn('b'));
  expect(turnsOf(entries).map((each) => each.map(({ id }) => id))).toEqual([
    ['e/0', 'e/1'],
    ['e/3', 'e/4'],
  ]);
});

it('saidTurns names media and gives a text as it was sent', () => {
  const media = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'x' } };
  const parts = [{ type: 'text', text: 'see' }, media] as never;
  const entries = entriesOf(...turn('a'), { kind: 'user', message: { role: 'user', parts } });
  expect(saidTurns(entries)).toEqual([
    { user: 'a', assistant: '<a>' },
    {
      user: [
        { type: 'text', text: 'see' },
        { type: 'text', text: '[image/png]' },
      ],
      assistant: '',
    },
  ]);
});
