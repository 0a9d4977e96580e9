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
import {
  limits,
  LonghaulError,
  queryNames,
  type SendInput,
  type SendReply,
  signalNames,
  type ThreadInput,
  type TurnsQuery,
  type TurnView,
  updateNames,
} from '../../protocol';
import type { JsonObject } from '../../base';
import {
  afterOthers,
  setLogQuery,
  setQuery,
  setSignal,
  validating,
} from '../lifecycle/define-handlers';
import type { Execution } from '../lifecycle/execution';
import type { RunLog } from '../log/run-log';
import { closing, type OpenThread } from './open-thread';
import { givenBack, newMessage, sendInput, turnsQuery } from './thread-input';
import { newestViews, type ThreadTurns } from './thread-turns';

/** A thread as its handlers see it. */
export interface HandledThread {
  readonly given: Pick<ThreadInput, 'runner'>;
  readonly execution: Execution;
  readonly turns: ThreadTurns;
  readonly log: RunLog;
  readonly session: JsonObject;
  readonly open: OpenThread | undefined;
  /** See `erasuresOf`. */
  readonly erasures: number;
  /** Resolves when the thread knows the turns before it. Rejects if it never will. */
  opened(): Promise<OpenThread>;
}

const sendUpdate = defineUpdate<SendReply, [unknown]>(updateNames.send);
const clearUpdate = defineUpdate<void, []>(updateNames.clear);

export function setThreadHandlers(thread: HandledThread): void {
  const { turns, execution } = thread;
  setHandler(
    sendUpdate,
    async (payload) => {
      const { erasures: _erasures, ...message } = sendInput(payload);
      return await turns.arriving(message, async () => {
        const { runs } = await afterOthers(execution.phase, () => thread.opened());
        const known = turns.known(message.messageId);
        if (known !== undefined) return known;
        if (message.whenBusy === 'steer') return await runs.steer(message);
        if (message.whenBusy === 'interrupt') runs.interrupt();
        return runs.send(message);
      });
    },
    {
      validator: validating((payload) => checkSend(thread, newMessage(payload))),
      description: 'A message to the thread: {messageId, input, whenBusy?}',
    },
  );
  setHandler(
    clearUpdate,
    async () => {
      const open = await afterOthers(execution.phase, () => thread.opened());
      const updateId = currentUpdateInfo()?.id;
      await CancellationScope.nonCancellable(() => open.clear(updateId));
    },
    {
      validator: () => validating(() => checkOpen(execution))(undefined),
      description: 'Forgets what was said before; a turn that is running ends, and leaves nothing',
    },
  );
  setSignal(execution, signalNames.giveBack, {
    take: (payload) => {
      const messageId = givenBack(payload);
      thread.open?.runs.takeBack(messageId);
    },
  });
  setQuery(
    queryNames.turns,
    (query) => viewsOf(thread, turnsQuery(query)),
    'The turns, the oldest first: {last?, messageId?, status?}',
  );
  setQuery(
    queryNames.erasures,
    () => thread.erasures,
    'Changes when contents are deleted: odd meanwhile',
  );
  setQuery(queryNames.session, () => thread.session, 'The session after the last turn');
  setQuery(queryNames.runner, () => thread.given.runner, 'What the thread was started with');
  setLogQuery(thread);
}

/** Throws if the thread takes nothing any more. */
function checkOpen({ phase: { ended, isMoving } }: Execution): void {
  if (ended || isMoving) throw closing(isMoving ? 'moving' : 'ending');
}

function checkSend(thread: HandledThread, message: SendInput): void {
  const { turns } = thread;
  checkOpen(thread.execution);
  const { messageId, whenBusy, erasures = thread.erasures } = message;
  if (turns.known(messageId) !== undefined || turns.isArriving(messageId)) return;
  if (erasures !== thread.erasures) throw closing('forgetting');
  const busy = (problem: string): LonghaulError =>
    new LonghaulError('ThreadBusy', problem, {
      details: { workflowId: turns.running?.workflowId ?? null },
    });
  if (whenBusy === 'reject' && !turns.isIdle)
    throw busy("a turn is running: wait for it, or send with whenBusy: 'queue'");
  if (!turns.hasRoom(message))
    throw busy(
      `too much waits in this thread: it takes ${limits.queuedMessages} messages and ${limits.queuedBytes} bytes. Wait for a turn, and send it again`,
    );
  const reason = reasonToWait(thread);
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

/** Why the thread takes no message although the queue has room. */
function reasonToWait({ open, execution }: HandledThread): string | undefined {
  if (open === undefined) return undefined;
  const { saves } = open.stores;
  if (saves.isBehind)
    return `the thread has ${saves.bytes} bytes of turns to save, and waits for its store`;
  if (!execution.history.isDue || open.isPortable) return undefined;
  return 'the thread moves to its next execution once it has answered and saved what waits';
}
