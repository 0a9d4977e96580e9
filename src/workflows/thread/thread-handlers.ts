// Handlers that only a thread has. The constructor sets them synchronously, before the first await.
//
// 1. A message that was taken gets the same turn again, even if the rest of it has changed.
// 2. The validator makes every refusal, also when the thread has no room, so that a refusal leaves nothing in history.

import {
  CancellationScope,
  currentUpdateInfo,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import { LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { queryNames, signalNames, updateNames } from '../../protocol/names';
import type {
  SendInput,
  SendReply,
  ThreadInput,
  TurnsQuery,
  TurnView,
} from '../../protocol/thread';
import { setLogQuery, setQuery, setSignal, validating } from '../lifecycle/handlers';
import type { RunLog } from '../log/run-log';
import { givenBack, newMessage, sendInput, turnsQuery } from './thread-input';
import { newestViews, type ThreadTurns } from './thread-turns';
import type { HistoryWatch } from '../log/history-watch';
import type { Execution } from '../lifecycle/execution';
import type { ThreadSaves } from './thread-saves';
import type { TurnCourier } from './steered-turn';

/** A thread as its handlers see it. */
export interface HandledThread {
  readonly given: Pick<ThreadInput, 'runner'>;
  readonly turns: ThreadTurns;
  readonly courier: Pick<TurnCourier, 'takeBack'>;
  readonly log: RunLog;
  readonly session: JsonObject;
  readonly room: ThreadRoom;
  /** Throws if the thread takes nothing any more. */
  checkOpen(): void;
  /** Resolves when the thread knows the turns before it. Rejects if it never will. */
  opened(): Promise<void>;
  send(message: SendInput): SendReply;
  /** Gives the message to the running turn. It becomes a turn if none runs, or if that one ends first. */
  steer(message: SendInput): Promise<SendReply>;
  /** Ends the running turn. */
  interrupt(): void;
  /** Resolves when the thread and its store have forgotten the conversation. */
  clear(updateId: string | undefined): Promise<void>;
}

const sendUpdate = defineUpdate<SendReply, [unknown]>(updateNames.send);
const clearUpdate = defineUpdate<void, []>(updateNames.clear);

export function setThreadHandlers(thread: HandledThread, execution: Execution): void {
  const { turns, courier } = thread;
  const arriving: SendInput[] = [];
  setHandler(
    sendUpdate,
    async (payload) => {
      const message = sendInput(payload);
      arriving.push(message);
      try {
        await thread.opened();
        const known = turns.known(message.messageId);
        if (known !== undefined) return known;
        if (message.whenBusy === 'steer') return await thread.steer(message);
        if (message.whenBusy === 'interrupt') thread.interrupt();
        return thread.send(message);
      } finally {
        arriving.splice(arriving.indexOf(message), 1);
      }
    },
    {
      validator: validating((payload) => checkSend(thread, newMessage(payload), arriving)),
      description: 'A message to the thread: {messageId, input, whenBusy?}',
    },
  );
  setHandler(
    clearUpdate,
    async () => {
      await thread.opened();
      const updateId = currentUpdateInfo()?.id;
      await CancellationScope.nonCancellable(() => thread.clear(updateId));
    },
    {
      validator: () => validating(() => thread.checkOpen())(undefined),
      description: 'Forgets what was said before; a turn that is running ends, and leaves nothing',
    },
  );
  setSignal(execution, signalNames.giveBack, {
    take: (payload) => courier.takeBack(givenBack(payload)),
  });
  setQuery(
    queryNames.turns,
    (query) => viewsOf(thread, turnsQuery(query)),
    'The turns, the oldest first: {last?, messageId?, status?}',
  );
  setQuery(queryNames.session, () => thread.session, 'The session after the last turn');
  setQuery(queryNames.runner, () => thread.given.runner, 'What the thread was started with');
  setLogQuery(thread);
}

/** `arriving` messages were taken but have no turn yet. They keep the thread as busy as the others. */
function checkSend(
  thread: HandledThread,
  message: SendInput,
  arriving: readonly SendInput[],
): void {
  const { turns } = thread;
  thread.checkOpen();
  const { messageId, whenBusy } = message;
  if (turns.known(messageId) !== undefined) return;
  if (arriving.some((each) => each.messageId === messageId)) return;
  const busy = (problem: string): LonghaulError =>
    new LonghaulError('ThreadBusy', problem, {
      details: { workflowId: turns.running?.workflowId ?? null },
    });
  const isIdle = turns.isIdle && arriving.length === 0;
  if (whenBusy === 'reject' && !isIdle)
    throw busy("a turn is running: wait for it, or send with whenBusy: 'queue'");
  if (!turns.hasRoom(message, arriving))
    throw busy(
      `too much waits in this thread: it takes ${limits.queuedMessages} messages and ${limits.queuedBytes} bytes. Wait for a turn, and send it again`,
    );
  const reason = heldUp(thread.room);
  if (reason !== undefined) throw busy(`${reason}. Send it again later`);
}

function viewsOf(thread: HandledThread, query: TurnsQuery): readonly TurnView[] {
  const { last, messageId, status } = query;
  const views = thread.turns.views(thread.log.entries).filter((turn) => {
    if (messageId !== undefined && turn.messageId !== messageId) return false;
    return status === undefined || turn.status === status;
  });
  return newestViews(views, last);
}

// What room a thread has: whether everything that waits can travel, why the thread takes no message for now, and what it then says. Pure.

export type ThreadRoom = {
  readonly turns: Pick<ThreadTurns, 'queuedBytes'>;
  readonly saves: Pick<ThreadSaves, 'bytes' | 'isBehind'>;
  readonly history: Pick<HistoryWatch, 'isDue' | 'isOutdated'>;
};

/** True if the thread moves to its next execution: it is due or outdated, and the waiting and unsaved turns can travel. */
export function mayMove(room: ThreadRoom): boolean {
  const { history } = room;
  return isPortable(room) && (history.isDue || history.isOutdated);
}

/** Why the thread takes no message although the queue has room. */
function heldUp(room: ThreadRoom): string | undefined {
  const { saves, history } = room;
  if (saves.isBehind)
    return `the thread has ${saves.bytes} bytes of turns to save, and waits for its store`;
  if (!history.isDue || isPortable(room)) return undefined;
  return 'the thread moves to its next execution once it has answered and saved what waits';
}

/** The sender must send the message again. The next execution takes it. */
export function closing(what: 'moving' | 'ending'): LonghaulError {
  return new LonghaulError('RunClosed', `the thread is just ${what}: send it again`, {
    retryable: true,
  });
}

/** For the thread's state, when a conversation is over its limit. */
export function leftBehind(turns: number): string {
  return `the oldest ${turns} turns were left behind: the conversation is longer than a thread remembers`;
}

/** The sender of a clear does not wait for a store for ever. The thread does. */
export function notCleared(): LonghaulError {
  const message =
    'the thread has forgotten what was said. Its store does not answer: it is cleared as soon as it does';
  return new LonghaulError('StoreError', message, { retryable: true });
}

function isPortable({ turns, saves }: ThreadRoom): boolean {
  return turns.queuedBytes + saves.bytes <= limits.queuedBytes;
}
