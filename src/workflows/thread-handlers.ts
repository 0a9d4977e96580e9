// Handlers of a thread beside those every run has, set synchronously before its first await.
//
// 1. A message that was taken is told the same turn again, whatever else it says now.
// 2. What is refused is refused by the validator: it leaves nothing in history.

import { defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import { ThreadBusy } from '../protocol/error-classes';
import type { JsonObject } from '../protocol/json';
import { queryNames, updateNames } from '../protocol/names';
import type { RunnerSpec } from '../protocol/spec';
import type { SendInput, SendReply, TurnsQuery, TurnView } from '../protocol/thread';
import { validating } from './run-handlers';
import type { RunLog } from './run-log';
import { setLogQuery } from './run-queries';
import { sendInput, turnsQuery } from './thread-input';
import { newestViews, type ThreadTurns } from './thread-turns';

export type ThreadHandlers = {
  readonly turns: ThreadTurns;
  readonly log: () => RunLog;
  readonly session: () => JsonObject;
  readonly runner: () => string | RunnerSpec;
  /** Throws when nothing is taken any more. */
  readonly checkOpen: () => void;
  /** Resolves when the thread knows the turns before it; rejects when it never will. */
  readonly opened: () => Promise<void>;
  readonly send: (message: SendInput) => SendReply;
  readonly interrupt: () => void;
  readonly clear: () => void;
};

const sendUpdate = defineUpdate<SendReply, [unknown]>(updateNames.send);
const clearUpdate = defineUpdate<void, []>(updateNames.clear);
const turnsOf = defineQuery<readonly TurnView[], [unknown]>(queryNames.turns);

export function setThreadHandlers(thread: ThreadHandlers): void {
  const { turns } = thread;
  const arriving: string[] = [];
  setHandler(
    sendUpdate,
    async (payload) => {
      const message = sendInput(payload);
      arriving.push(message.messageId);
      try {
        await thread.opened();
        const known = turns.known(message.messageId);
        if (known !== undefined) return known;
        if (message.whenBusy === 'interrupt') thread.interrupt();
        return thread.send(message);
      } finally {
        arriving.splice(arriving.indexOf(message.messageId), 1);
      }
    },
    {
      validator: validating((payload) => checkSend(thread, sendInput(payload), arriving)),
      description: 'A message to the thread: {messageId, input, whenBusy?}',
    },
  );
  setHandler(
    clearUpdate,
    async () => {
      await thread.opened();
      thread.clear();
    },
    {
      validator: () => validating(thread.checkOpen)(undefined),
      description: 'Forgets what was said before; a turn that is running ends, and leaves nothing',
    },
  );
  setHandler(turnsOf, (query) => viewsOf(thread, turnsQuery(query)), {
    description: 'The turns, the oldest first: {last?, messageId?, status?}',
  });
  setHandler(defineQuery<JsonObject>(queryNames.session), thread.session);
  setHandler(defineQuery<string | RunnerSpec>(queryNames.runner), thread.runner);
  setLogQuery(thread.log);
}

/** A message that was taken and has no turn yet, `arriving`, keeps the thread as busy as one that has. */
function checkSend(
  { turns, checkOpen }: ThreadHandlers,
  message: SendInput,
  arriving: readonly string[],
): void {
  checkOpen();
  if (message.whenBusy !== 'reject' || (turns.isIdle && arriving.length === 0)) return;
  const { messageId } = message;
  if (turns.known(messageId) !== undefined || arriving.includes(messageId)) return;
  throw new ThreadBusy("a turn is running: wait for it, or send with whenBusy: 'queue'", {
    details: { runId: turns.running?.runId ?? null },
  });
}

function viewsOf(thread: ThreadHandlers, query: TurnsQuery): readonly TurnView[] {
  const { last, messageId, status } = query;
  const views = thread.turns.views(thread.log().entries).filter((turn) => {
    if (messageId !== undefined && turn.messageId !== messageId) return false;
    return status === undefined || turn.status === status;
  });
  return newestViews(views, last);
}
