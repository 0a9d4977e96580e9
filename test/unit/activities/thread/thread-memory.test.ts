// Pure: no database.
import {
  countOf,
  newestThatFit,
  orderedTurns,
  sessionOf,
} from '../../../../src/activities/thread/thread-memory';
import { limits } from '../../../../src/protocol/limits';
import type { StoredMemoryTurn } from '../../../../src/stores/state/memory-store';

const key = { appName: 'app', userId: 'ada', sessionId: 'chat' };
const turn = (id: string, minute: number, rest: Partial<StoredMemoryTurn> = {}) => ({
  ...key,
  id,
  invocationId: `run-${id}`,
  user: `question ${id}`,
  assistant: `answer ${id}`,
  createdAt: `2026-01-01T00:0${minute}:00Z`,
  ...rest,
});

describe('the turns a store gave', () => {
  it.each([
    { name: 'the newest first', rows: [turn('c', 3), turn('b', 2), turn('a', 1)], ids: 'abc' },
    { name: 'of one time', rows: [turn('b', 1), turn('a', 1)], ids: 'ab' },
    {
      name: 'of several time zones',
      rows: [turn('b', 1), turn('a', 0, { createdAt: '2026-01-01T02:00:30+02:00' })],
      ids: 'ab',
    },
    { name: 'one twice', rows: [turn('a', 1), turn('b', 2), turn('a', 1)], ids: 'ab' },
    { name: 'none', rows: [], ids: '' },
  ])('are put in order, each once: $name', ({ rows, ids }) => {
    expect(
      orderedTurns(rows)
        .map(({ id }) => id)
        .join(''),
    ).toBe(ids);
  });

  it.each([
    { name: 'no list', rows: undefined, message: 'loadTurns must return a list' },
    { name: 'a row of nothing', rows: [null], message: 'a turn must be an object' },
    { name: 'no id', rows: [{ ...turn('a', 1), id: 7 }], message: 'id must be a text' },
    { name: 'no text', rows: [{ ...turn('a', 1), user: 7 }], message: 'user must be a text' },
    {
      name: 'no answer',
      rows: [{ ...turn('a', 1), assistant: null }],
      message: 'assistant must be a text',
    },
    {
      name: 'a time that is none',
      rows: [turn('a', 1, { createdAt: 'yesterday' })],
      message: 'createdAt must be a time',
    },
    {
      name: 'a date',
      rows: [{ ...turn('a', 1), createdAt: new Date(0) }],
      message: 'createdAt must be a time',
    },
  ])('are refused with $name', ({ rows, message }) => {
    expect(() => orderedTurns(rows)).toThrow(
      expect.objectContaining({ code: 'StoreError' }) as Error,
    );
    expect(() => orderedTurns(rows)).toThrow(message);
  });

  it.each([
    { counted: 5, count: 5 },
    { counted: 1, count: 2 },
    { counted: Number.NaN, count: 2 },
    { counted: '12', count: 2 },
    { counted: undefined, count: 2 },
  ])('are at least as many as came, where the store counts $counted', ({ counted, count }) => {
    expect(countOf(counted, [turn('a', 1), turn('b', 2)])).toBe(count);
  });

  it('travel without their keys, under their message, the newest that fit', () => {
    const long = 'x'.repeat(limits.result / 2);
    const eventData = { messageId: 'm-1' };
    const turns = [turn('a', 1, { user: long }), turn('b', 2, { user: long, eventData })];
    expect(newestThatFit(turns)).toEqual([
      {
        id: 'b',
        messageId: 'm-1',
        workflowId: 'run-b',
        user: long,
        assistant: 'answer b',
        createdAt: '2026-01-01T00:02:00Z',
      },
    ]);
    expect(newestThatFit([turn('a', 1)])).toMatchObject([{ messageId: 'a' }]);
  });
});

describe('the session of a turn', () => {
  it.each([
    { name: 'as it was', eventData: { session: { n: 1 } }, session: { n: 1 } },
    { name: 'none of its own', eventData: { session: 'theirs' }, session: undefined },
    { name: 'nothing known', eventData: undefined, session: undefined },
  ])('is told: $name', ({ eventData, session }) => {
    const stored = turn('a', 1, eventData === undefined ? {} : { eventData });
    expect(sessionOf(stored)).toEqual(session);
  });

  it.each([
    {
      name: 'a reserved key',
      session: JSON.parse('{"__proto__":1}') as object,
      message: 'session.__proto__: the key "__proto__" is reserved',
    },
    {
      name: 'too much',
      session: { text: 'x'.repeat(limits.session) },
      message: `its session has ${limits.session + '{"text":""}'.length} bytes`,
    },
  ])('is refused with $name', ({ session, message }) => {
    const stored = turn('a', 1, { eventData: { session } as never });
    expect(() => sessionOf(stored)).toThrow(
      expect.objectContaining({ code: 'StoreError' }) as Error,
    );
    expect(() => sessionOf(stored)).toThrow(message);
  });
});
