// Handlers that runs and threads share. The constructor sets them synchronously, before the first await.
//
// 1. Handlers never wait for a model and never throw. They read a signal or an update whole before anything changes. A refused signal
//    changes nothing and shows in `state.rejected`.
// 2. Updates refuse in their validators, so that a refused answer leaves nothing in history. A handler does not repeat its validator's
//    checks. It only looks up the open input again, because another answer may have come first.
// 3. An answer for this run goes to its machine at once. The run first takes an answer for a child and then sends it down, so
//    that it goes once.
// 4. `outcome` waits until the run pauses, ends, or moves to its next execution. An answer waits until a run that has moved has loaded, and
//    while a worker checks its signature. No other handler waits.

import {
  ApplicationFailure,
  CancellationScope,
  condition,
  currentUpdateInfo,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import { isJsonObject } from '../../base/json';
import { checkShape } from '../../core/people/answer-shape';
import { asksAnew, checkVotesOnce, hasVoted, missingApprovals } from '../../core/people/verdicts';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import { queryNames, signalNames, updateNames } from '../../protocol/names';
import type {
  ChildInputs,
  InputAnswer,
  NonceReply,
  OutcomeReply,
  PendingInput,
  ResumeReply,
} from '../../protocol/run';
import { toWorkflowFailure } from '../durable';
import {
  type Answer,
  type AnswerKind,
  readAnswer,
  readCancelling,
  takenAnswer,
} from '../people/answers';
import type { Execution } from './execution';
import { childInputs, inputsThatTravel, mayGrow, sendAnswer } from '../children/messages';
import type { PendingRequests } from '../people/pending-requests';
import { RetriedCalls } from '../display/retried-calls';
import type { RunLog } from '../log/run-log';
import { TaskRoom } from './task-payload-budget';

/** An execution with runs below it. */
export interface Parent {
  /** A child, or a run below it, reported what it waits for. */
  takeInputs(told: ChildInputs): void;
}

export function setHandlers(execution: Execution, parent: Parent): void {
  const { requests } = execution;
  setQuery(
    queryNames.state,
    () => ({ ...execution.state, pending: inputsThatTravel(requests.pending) }),
    'Where the run stands: status, turn, usage, open inputs',
  );
  setQuery(
    queryNames.pending,
    () => inputsThatTravel(requests.pending),
    'The open questions and approvals',
  );
  setQuery(
    queryNames.nonce,
    (query) => nonceReply(requests, query),
    'What the update ids of an answer are made of: {inputId}',
  );
  setQuery(queryNames.usage, () => execution.state.usage, 'Tokens used so far');
  setOutcome(requests);
  setAnswer(execution, 'answer', 'Answers a question: {answer, inputId?}');
  setAnswer(execution, 'approve', 'Approves a tool call: {inputId, args?}');
  setAnswer(execution, 'reject', 'Rejects a tool call: {inputId, reason}');
  setAnswer(execution, 'complete', 'Gives the result of a tool call: {inputId, value}');
  setAnswer(execution, 'fail', 'Says that a tool call failed elsewhere: {inputId, reason}');
  setSignal(execution, signalNames.resume, {
    take: async (payload) => {
      const given = typeof payload === 'string' ? { answer: payload } : payload;
      await takeAnswer(execution, readAnswer('answer', given));
    },
    description: 'Answers the open question: "text" or {answer, inputId?}',
  });
  setSignal(execution, signalNames.cancelRun, {
    take: (payload) => execution.cancel(readCancelling(payload)),
    description: 'Cancels the run: {reason, by?}',
  });
  setSignal(execution, signalNames.retrying, {
    take: (calls) => {
      if (calls instanceof RetriedCalls) execution.showRetries(calls);
    },
  });
  setSignal(execution, signalNames.childInputs, {
    take: (payload) => parent.takeInputs(childInputs(payload, mayGrow)),
  });
}

export function setQuery(
  name: string,
  answer: (query: unknown) => unknown,
  description: string,
): void {
  setHandler(defineQuery<unknown, [unknown]>(name), answer, { description });
}

/** Sends log entries in pages, for runs and threads alike. */
export function setLogQuery(of: { readonly log: RunLog }): void {
  setQuery(
    queryNames.log,
    (query) => {
      const from = position(query, 'from');
      const isDeflated = isJsonObject(query) && query['deflate'] === true;
      return isDeflated ? of.log.deflatedPage(from) : of.log.page(from);
    },
    'Entries of the log, a page: {from}',
  );
}

/** The list position that a query names, 0 by default. Anybody may send a query. */
export function position(query: unknown, name: string): number {
  if (query === undefined || query === null) return 0;
  const asked = isJsonObject(query) ? (query[name] ?? 0) : undefined;
  if (Number.isSafeInteger(asked) && (asked as number) >= 0) return asked as number;
  throw new LonghaulError(
    'InvalidInput',
    `${name} must be a whole number, 0 or more: {"${name}": 0}`,
  );
}

/** Anybody may send a signal. If `take` refuses it, the refusal is recorded. */
export function setSignal(
  execution: Execution,
  name: string,
  {
    take,
    description,
  }: {
    readonly take: (payload: unknown) => Promise<void> | void;
    readonly description?: string;
  },
): void {
  const handler = async (payload: unknown): Promise<void> => {
    try {
      await take(payload);
    } catch (error) {
      execution.refuse(name, error);
    }
  };
  setHandler(defineSignal<[unknown]>(name), handler, { ...(description && { description }) });
}

/** A validator refuses by throwing. It must throw a Temporal failure: anything else would fail the workflow task. */
export function validating<Input>(check: (input: Input) => unknown): (input: Input) => void {
  return (input) => {
    try {
      check(input);
    } catch (error) {
      const failure = toWorkflowFailure(error);
      throw failure instanceof Error ? failure : ApplicationFailure.nonRetryable(String(failure));
    }
  };
}

/** An answer or a message may arrive before an execution has loaded. */
export async function whenLoaded(requests: PendingRequests): Promise<void> {
  await condition(() => requests.isLoaded || requests.ended);
}

const answerUpdates = {
  answer: updateNames.resume,
  approve: updateNames.approve,
  reject: updateNames.reject,
  complete: updateNames.complete,
  fail: updateNames.fail,
} as const;

function setAnswer(execution: Execution, kind: AnswerKind, description: string): void {
  const { requests } = execution;
  setHandler(
    defineUpdate<ResumeReply, [unknown]>(answerUpdates[kind]),
    async (payload) => {
      requests.countUpdate();
      try {
        return await takeAnswer(execution, takenAnswer(kind, payload));
      } catch (error) {
        throw toWorkflowFailure(error);
      }
    },
    {
      validator: validating((payload) => {
        const answer = readAnswer(kind, payload);
        const found = requests.pendingFor(answer, currentUpdateId());
        if (found === undefined) return;
        checkShape(found, answer);
        // A repeated vote is a retry. But no single person may use up the updates that the server takes.
        if (requests.updates >= limits.historyUpdates) checkVotesOnce(found, answer);
      }),
      description,
    },
  );
}

export async function takeAnswer(execution: Execution, answer: Answer): Promise<ResumeReply> {
  const { requests } = execution;
  if (!requests.isLoaded) await whenLoaded(requests);
  let found = requests.pendingFor(answer, currentUpdateId());
  if (found !== undefined && execution.signatures.areNeededFor(answer)) {
    await execution.signatures.check({ ...answer, inputId: found.inputId }, found);
    // Somebody else may have answered meanwhile.
    found = requests.pendingFor({ ...answer, inputId: found.inputId }, currentUpdateId());
  }
  if (found === undefined) return { accepted: true, inputId: answer.inputId ?? '' };
  // The validator has checked an update. It does not run again in a replay, so what was accepted stays accepted.
  if (currentUpdateId() === undefined) checkShape(found, answer);
  const { inputId } = found;
  const missing = missingApprovals(found, answer);
  const isRepeated = missing > 0 && answer.by !== undefined && hasVoted(found, answer.by);
  if (!isRepeated) await routeAnswer(execution, { ...answer, inputId }, found);
  return {
    accepted: true,
    inputId,
    ...(missing > 0 && { missing }),
    ...(asksAnew(found, answer) && { asksAnew: true as const }),
  };
}

async function routeAnswer(
  execution: Execution,
  answer: InputAnswer,
  asked: PendingInput,
): Promise<void> {
  const { requests } = execution;
  const { inputId } = answer;
  const child = requests.askerOf(inputId);
  if (child === undefined) {
    requests.answerOwn(answer, asked, currentUpdateId());
    // The loop shows every other answer, when it wakes.
    if (missingApprovals(asked, answer) > 0) execution.show();
    return;
  }
  requests.count(answer, asked, currentUpdateId());
  execution.show();
  try {
    await sendAnswer(child, answer);
  } catch (error) {
    requests.reopen(inputId);
    requests.drop(child, inputId);
    execution.show();
    throw new LonghaulError(
      'NotWaiting',
      `the run that asked '${inputId}' has ended: ${String(error)}`,
    );
  }
}

/** Undefined in a signal. Nobody can recognise a signal that is sent twice. */
function currentUpdateId(): string | undefined {
  return currentUpdateInfo()?.id;
}

function nonceReply(requests: PendingRequests, query: unknown): NonceReply {
  const inputId = isJsonObject(query) ? query['inputId'] : undefined;
  const nonce = typeof inputId === 'string' ? requests.nonceOf(inputId) : undefined;
  if (nonce !== undefined) return { nonce };
  const isBeginning = typeof inputId === 'string' && requests.tokens.isBeginning(inputId);
  return isBeginning ? { isBeginning } : {};
}

/**
 * Runs outside cancellation: those who wait for a cancelled run hear that it ended, not that their wait was cancelled. One message may be
 * too small to carry the whole reply to everyone who waits. The rest hear where to read it.
 */
function setOutcome(requests: PendingRequests): void {
  const room = new TaskRoom(limits.replies);
  const outcome = async (): Promise<OutcomeReply> => {
    await condition(() => requests.pending.length > 0 || requests.ended || requests.isMoving);
    const reply = wholeReply(requests);
    if (room.takes(reply)) return reply;
    return { kind: requests.ended ? 'ended' : 'moved' };
  };
  setHandler(
    defineUpdate<OutcomeReply, []>(updateNames.outcome),
    () => {
      requests.countUpdate();
      return CancellationScope.nonCancellable(outcome);
    },
    { description: 'Waits for the next pause or the end' },
  );
}

function wholeReply(requests: PendingRequests): OutcomeReply {
  if (requests.result !== undefined) return { kind: 'complete', result: requests.result };
  if (requests.ended) return { kind: 'ended' };
  // An answer in the same task may already have ended the pause.
  if (requests.isMoving || requests.pending.length === 0) return { kind: 'moved' };
  return { kind: 'needs-input', pending: inputsThatTravel(requests.pending) };
}
