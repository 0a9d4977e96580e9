// Pure: no server.
import { Board } from '../../../../src/client/stream/board';
import { StreamCursor } from '../../../../src/client/stream/stream-cursor';

const place = { root: 'run', workflowId: 'run', path: 'host', agent: 'host' };

/** A run that was found paused in round 1. */
function pausedRun() {
  const board = new Board();
  board.pause(place, 1);
  const rounds = { begun: 1, looked: 1 };
  const followed = {
    place,
    board,
    runs: new Map<string, never>(),
    get nextRound() {
      return rounds.begun + 1;
    },
    hasLooked: (round: number) => rounds.looked >= round,
  };
  const cursor = new StreamCursor(followed, new Map());
  const look = (): void => void (rounds.looked = rounds.begun += 1);
  return { board, cursor, look };
}

it('a stream tells a pause that is there still when it begins', () => {
  const { cursor, look } = pausedRun();
  expect(cursor.next()).toBeUndefined();
  look();
  expect(cursor.next()).toMatchObject({ type: 'paused', pauseSeq: 1 });
  expect(cursor.next()).toBeUndefined();
});

it('a stream tells no pause that another process has ended before it begins', () => {
  const { board, cursor, look } = pausedRun();
  expect(cursor.next()).toBeUndefined();
  board.work();
  look();
  expect(cursor.next()).toBeUndefined();
  board.pause(place, 2);
  expect(cursor.next()).toMatchObject({ type: 'paused', pauseSeq: 2 });
});
