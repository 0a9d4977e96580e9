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
import { checkSendInput } from './thread-input';
import type { ThreadTurns } from './thread-turns';

export type ThreadHandlers = {
  readonly turns: ThreadTurns;
  readonly log: () => RunLog;
  readonly session: () => JsonObject;
  readonly runner: () => string | RunnerSpec;
  readonly send: (message: SendInput) => SendReply;
  readonly interrupt: () => void;
  readonly clear: () => void;
};

const sendUpdate = defineUpdate<SendReply, [SendInput]>(updateNames.send);
const clearUpdate = defineUpdate<void, []>(updateNames.clear);
const turnsQuery = defineQuery<readonly TurnView[], [TurnsQuery | undefined]>(queryNames.turns);

/** The newest turns one answer holds at most. */
const pageLength = 200;

export function setThreadHandlers(thread: ThreadHandlers): void {
  const { turns } = thread;
  setHandler(
    sendUpdate,
    (message) => {
      const known = turns.known(message.messageId);
      if (known !== undefined) return known;
      if (message.whenBusy === 'interrupt') thread.interrupt();
      return thread.send(message);
    },
    {
      validator: validating((message: SendInput) => checkSend(turns, message)),
      description: 'A message to the thread: {messageId, input, whenBusy?}',
    },
  );
  setHandler(clearUpdate, thread.clear, {
    description: 'Forgets the conversation; a turn that is running ends, and leaves nothing',
  });
  setHandler(turnsQuery, (query) => viewsOf(turns, query ?? {}), {
    description: 'The turns, the oldest first: {last?, messageId?}',
  });
  setHandler(defineQuery<JsonObject>(queryNames.session), thread.session);
  setHandler(defineQuery<string | RunnerSpec>(queryNames.runner), thread.runner);
  setLogQuery(thread.log);
}

function checkSend(turns: ThreadTurns, message: SendInput): void {
  checkSendInput(message);
  if (message.whenBusy !== 'reject' || turns.isIdle) return;
  if (turns.known(message.messageId) !== undefined) return;
  throw new ThreadBusy("a turn is running: wait for it, or send with whenBusy: 'queue'", {
    details: { runId: turns.running?.runId ?? null },
  });
}

function viewsOf(turns: ThreadTurns, { last, messageId }: TurnsQuery): readonly TurnView[] {
  const views = turns.views();
  if (messageId !== undefined) return views.filter((turn) => turn.messageId === messageId);
  return last === 0 ? [] : views.slice(-Math.min(last ?? pageLength, pageLength));
}
