// Pure: no server.
import { nothingKnown, showPause } from '../../../../src/client/stream/run-now';
import { StreamCursor } from '../../../../src/client/stream/stream-cursor';

const place = { root: 'run', workflowId: 'run', path: 'host', agent: 'host' };

/** A run that was found paused in round 1. */
function pausedRun() {
  const now = { ...nothingKnown(), round: 1, looked: 1 };
  showPause(now, place, 1);
  const followed = { place, now, runs: new Map<string, never>() };
  const cursor = new StreamCursor(followed, { places: new Map() });
  const look = (): void => void (now.looked = now.round += 1);
  return { now, cursor, look };
}

it('a stream tells a pause that is there still when it begins', () => {
  const { cursor, look } = pausedRun();
  expect(cursor.next()).toBeUndefined();
  look();
  expect(cursor.next()).toMatchObject({ type: 'paused', pauseSeq: 1 });
  expect(cursor.next()).toBeUndefined();
});

it('a stream tells no pause that another process has ended before it begins', () => {
  const { now, cursor, look } = pausedRun();
  expect(cursor.next()).toBeUndefined();
  now.paused = undefined;
  look();
  expect(cursor.next()).toBeUndefined();
  showPause(now, place, 2);
  expect(cursor.next()).toMatchObject({ type: 'paused', pauseSeq: 2 });
});
