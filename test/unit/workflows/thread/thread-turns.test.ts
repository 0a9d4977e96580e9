// Pure: no server.
import { emptyUsage } from '../../../../src/core/budget/usage';
import type { LogEntry } from '../../../../src/protocol/log';
import type { TurnView } from '../../../../src/protocol/thread';
import {
  newestViews,
  ThreadTurns,
  type QueuedTurn,
} from '../../../../src/workflows/thread/thread-turns';

function open(turn: number, text = `text ${turn}`): QueuedTurn {
  const createdAt = new Date(turn).toISOString();
  return {
    messageId: `m-${turn}`,
    input: text,
    turn,
    workflowId: `r-${turn}`,
    id: `i-${turn}`,
    createdAt,
  };
}

function said(...texts: readonly string[]): LogEntry[] {
  return texts.flatMap((text, index): LogEntry[] => [
    {
      id: `u/${index}`,
      kind: 'user',
      message: { role: 'user', parts: [{ type: 'text', text }] },
    },
    {
      id: `a/${index}`,
      kind: 'model-turn',
      content: [{ type: 'text', text: `<${text}>` }],
      usage: emptyUsage,
    },
  ]);
}

function shown(views: readonly TurnView[]): unknown[] {
  return views.map(({ turn, status, user, assistant }) => [turn, status, user, assistant ?? '']);
}

describe('ThreadTurns', () => {
  it('takes turns in order of arrival, one at a time, and tells of each', () => {
    const turns = new ThreadTurns();
    [1, 2, 3].forEach((turn) => turns.add(open(turn)));
    expect(turns.isIdle).toBe(false);
    expect(turns.next()?.workflowId).toBe('r-1');
    turns.finish({ status: 'completed', isRemembered: true });
    expect(turns.next()?.workflowId).toBe('r-2');
    turns.finish({ status: 'failed', isRemembered: false, failure: { message: 'broken' } });
    turns.next();
    turns.add(open(4));
    expect(shown(turns.views(said('text 1')))).toEqual([
      [1, 'completed', 'text 1', '<text 1>'],
      [2, 'failed', 'text 2', ''],
      [3, 'running', 'text 3', ''],
      [4, 'queued', 'text 4', ''],
    ]);
    expect(turns.views([]).at(-1)?.behind).toBe('r-3');
  });

  it('knows a message again, open, done and carried over', () => {
    const turns = new ThreadTurns();
    [1, 2, 3].forEach((turn) => turns.add(open(turn)));
    turns.next();
    turns.finish({ status: 'completed', isRemembered: true });
    const stored = JSON.parse(JSON.stringify(turns.carry())) as ReturnType<ThreadTurns['carry']>;
    const carried = new ThreadTurns(stored);
    for (const each of [turns, carried]) {
      expect([1, 2, 3, 4].map((turn) => each.known(`m-${turn}`)?.workflowId)).toEqual([
        'r-1',
        'r-2',
        'r-3',
        undefined,
      ]);
      expect(each.count).toBe(3);
    }
  });

  it('gives no two messages the same time, also when the clock stands still', () => {
    const turns = new ThreadTurns();
    expect(turns.nextTime(50)).toBe(50);
    turns.add({ ...open(1), createdAt: new Date(50).toISOString() });
    expect(turns.nextTime(50)).toBe(51);
    expect(turns.nextTime(40)).toBe(51);
    expect(turns.nextTime(90)).toBe(90);
  });

  it('leaves out older turns whose texts are not in the log any more', () => {
    const turns = new ThreadTurns();
    for (const turn of [1, 2, 3]) {
      turns.add(open(turn));
      turns.next();
      turns.finish({ status: 'completed', isRemembered: true });
    }
    expect(shown(turns.views(said('text 3')))).toEqual([[3, 'completed', 'text 3', '<text 3>']]);
    turns.clear();
    expect(turns.views([])).toEqual([]);
    expect(turns.known('m-1')?.workflowId).toBe('r-1');
  });

  it('has room for so many messages and bytes, those that arrive counted in', async () => {
    const turns = new ThreadTurns();
    const large = open(1, 'x'.repeat(200_000));
    expect(turns.hasRoom(large)).toBe(true);
    turns.add(large);
    expect(turns.hasRoom(large)).toBe(false);
    expect(turns.hasRoom(open(2))).toBe(true);
    await turns.arriving(large, () => {
      expect(turns.isArriving(large.messageId)).toBe(true);
      expect(turns.hasRoom(open(2))).toBe(false);
      return Promise.resolve(large);
    });
    expect(turns.hasRoom(open(2))).toBe(true);
    turns.next();
    expect(turns.hasRoom(large)).toBe(true);
    for (let turn = 2; turn <= 101; turn += 1) turns.add(open(turn));
    expect(turns.hasRoom(open(102))).toBe(false);
  });

  it('names media, and keeps a bounded text of what is not remembered', () => {
    const turns = new ThreadTurns();
    const source = { kind: 'base64', data: 'x' } as never;
    const input = [
      { type: 'text' as const, text: 'y'.repeat(5_000) },
      { type: 'media' as const, mediaType: 'image/png', source },
    ];
    turns.add({ ...open(1), input });
    expect(turns.views([])[0]?.user).toMatchObject([{}, { type: 'text', text: '[image/png]' }]);
    turns.next();
    turns.finish({ status: 'cancelled', isRemembered: false });
    expect((turns.views([])[0]?.user as string).length).toBeLessThanOrEqual(2_048);
  });
});

describe('newestViews', () => {
  const view = (turn: number, user = 'x'): TurnView => ({
    messageId: 'm',
    turn,
    workflowId: 'r',
    status: 'completed',
    createdAt: '',
    user,
  });
  const views = [1, 2, 3].map((turn) => view(turn));
  it.each([
    { last: undefined, turns: [1, 2, 3] },
    { last: 2, turns: [2, 3] },
    { last: 0, turns: [] },
    { last: 1_000, turns: [1, 2, 3] },
  ])('gives the last $last', ({ last, turns }) => {
    expect(newestViews(views, last).map(({ turn }) => turn)).toEqual(turns);
  });

  it('gives no more than fits, and at least one', () => {
    const large = [1, 2, 3].map((turn) => view(turn, 'x'.repeat(190_000)));
    expect(newestViews(large).map(({ turn }) => turn)).toEqual([2, 3]);
    expect(newestViews([view(1, 'x'.repeat(900_000))])).toHaveLength(1);
  });
});
