// What room a thread has: whether all that waits in it travels, why it takes no more for now, and what it tells then. Pure.

import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type { HistoryWatch } from '../run/history-watch';
import type { ThreadSaves } from './thread-saves';
import type { ThreadTurns } from './thread-turns';

export type ThreadRoom = {
  readonly turns: Pick<ThreadTurns, 'queuedBytes'>;
  readonly saves: Pick<ThreadSaves, 'bytes' | 'isBehind'>;
  readonly history: Pick<HistoryWatch, 'isDue'>;
};

/** Whether the thread moves to its next execution: what waits and what is unsaved travels. */
export function mayMove(room: ThreadRoom): boolean {
  return room.history.isDue && isPortable(room);
}

/** Why no message is taken, though the queue has room. */
export function heldUp(room: ThreadRoom): string | undefined {
  const { saves, history } = room;
  if (saves.isBehind)
    return `the thread has ${saves.bytes} bytes of turns to save, and waits for its store`;
  if (!history.isDue || isPortable(room)) return undefined;
  return 'the thread moves to its next execution once it has answered and saved what waits';
}

/** Who sends is told to send again: the execution after this one takes it. */
export function closing(what: 'moving' | 'ending'): LonghaulError {
  return new LonghaulError('RunClosed', `the thread is just ${what}: send it again`, {
    retryable: true,
  });
}

/** What is told of a conversation that is over its own bound. */
export function leftBehind(turns: number): string {
  return `the oldest ${turns} turns were left behind: the conversation is longer than a thread remembers`;
}

/** Who cleared does not wait for a store for ever; the thread does. */
export function notCleared(): LonghaulError {
  const message =
    'the thread has forgotten what was said. Its store does not answer: it is cleared as soon as it does';
  return new LonghaulError('StoreError', message, { retryable: true });
}

function isPortable({ turns, saves }: ThreadRoom): boolean {
  return turns.queuedBytes + saves.bytes <= limits.queuedBytes;
}
