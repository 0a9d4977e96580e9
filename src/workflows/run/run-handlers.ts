// Handlers that every run has, set synchronously before its first await.
//
// 1. Handlers never wait for a model and never throw: what a signal or an update holds is parsed whole before anything changes. A refused
//    signal changes nothing and shows in `state.rejected`.
// 2. Updates refuse in their validators, so that a refused answer leaves nothing in history.
// 3. An answer for this run is fed to its machine at once; one for a child is taken first, then sent down, so that it goes once.
// 4. `outcome` waits until the run pauses, ends, or moves on to its next execution; an answer waits until a run that has moved is back.
//    No other handler waits.

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
import { oneLine } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { queryNames, signalNames, updateNames } from '../../protocol/names';
import type {
  ChildInputs,
  ChildOutcome,
  InputAnswer,
  NonceReply,
  OutcomeReply,
  PendingInput,
  ResumeReply,
  RunState,
} from '../../protocol/run';
import { approveInput, cancelReason, inputAnswer, rejectInput, resumeInput } from './answer-input';
import { toWorkflowFailure } from '../durable';
import { inputsThatTravel, childInputs, childOutcome } from '../execution/messages';
import type { PendingRequests } from '../execution/pending-requests';
import { TaskRoom } from '../execution/task-room';

const resumeSignal = defineSignal<[unknown]>(signalNames.resume);
const cancelSignal = defineSignal<[unknown]>(signalNames.cancelRun);
const childInputsSignal = defineSignal<[unknown]>(signalNames.childInputs);
const childResultSignal = defineSignal<[unknown]>(signalNames.childResult);
const detachSignal = defineSignal(signalNames.detach);
const answerSignal = defineSignal<[unknown]>(signalNames.answer);
const outcomeUpdate = defineUpdate<OutcomeReply, []>(updateNames.outcome);
const resumeUpdate = defineUpdate<ResumeReply, [unknown]>(updateNames.resume);
const approveUpdate = defineUpdate<ResumeReply, [unknown]>(updateNames.approve);
const rejectUpdate = defineUpdate<ResumeReply, [unknown]>(updateNames.reject);
const stateQuery = defineQuery<RunState>(queryNames.state);
const pendingQuery = defineQuery<readonly PendingInput[]>(queryNames.pending);
const nonceQuery = defineQuery<NonceReply, [unknown]>(queryNames.nonce);
const usageQuery = defineQuery<RunState['usage']>(queryNames.usage);

export type RunHandlers = {
  readonly requests: PendingRequests;
  /** An answer for this run itself. */
  readonly feed: (answer: InputAnswer) => void;
  /** An answer for a child below; resolves once the server has it. */
  readonly sendAnswer: (child: string, answer: InputAnswer) => Promise<void>;
  readonly state: () => RunState;
  readonly cancel: (reason: string) => void;
  /** A child, or one below it, told what it waits for. */
  readonly takeInputs: (inputs: ChildInputs) => void;
  /** A child told its result, or what it spent. */
  readonly takeOutcome: (outcome: ChildOutcome) => void;
  /** Nobody needs the result any more. */
  readonly detach: () => void;
  /** What children wait for has changed. */
  readonly onChange: () => void;
  /** A signal was refused: shown where that costs nothing. */
  readonly onRefusal: () => void;
};

export function setRunHandlers(run: RunHandlers): void {
  const { requests, state } = run;
  const currentState = (): RunState => {
    const whole = state();
    return { ...whole, pending: inputsThatTravel(whole.pending) };
  };
  setHandler(stateQuery, currentState, {
    description: 'Where the run stands: status, turn, usage, open inputs',
  });
  setHandler(pendingQuery, () => inputsThatTravel(requests.pending), {
    description: 'The open questions and approvals',
  });
  setHandler(nonceQuery, (query) => nonceReply(requests, query), {
    description: 'What the update ids of an answer are made of: {inputId}',
  });
  setHandler(usageQuery, () => state().usage, { description: 'Tokens used so far' });
  const room = new TaskRoom(limits.replies);
  const counted = (): Promise<OutcomeReply> => {
    requests.updates += 1;
    return CancellationScope.nonCancellable(() => outcome(requests, room));
  };
  setHandler(outcomeUpdate, counted, {
    description: 'Waits for the next pause or the end',
  });
  setAnswerUpdates(run);
  setSignals(run);
}

/** Anybody may send these: each is parsed before the run is told. */
function setSignals(run: RunHandlers): void {
  setHandler(resumeSignal, (payload) => resumeBySignal(run, payload), {
    description: 'Answers the open question: "text" or {answer, inputId?}',
  });
  const taking =
    (signal: string, take: (payload: unknown) => Promise<void> | void) => (payload: unknown) =>
      recordingRefusal(run, signal, () => take(payload));
  setHandler(
    cancelSignal,
    taking(signalNames.cancelRun, (payload) => run.cancel(cancelReason(payload))),
    { description: 'Cancels the run: {reason}' },
  );
  setHandler(
    answerSignal,
    taking(signalNames.answer, (payload) => takeAnswer(run, inputAnswer(payload))),
    { description: 'From the root run: the answer to what this run asked' },
  );
  setHandler(detachSignal, () => recordingRefusal(run, signalNames.detach, run.detach));
  setHandler(
    childResultSignal,
    taking(signalNames.childResult, (payload) => run.takeOutcome(childOutcome(payload))),
  );
  setHandler(
    childInputsSignal,
    taking(signalNames.childInputs, (payload) => run.takeInputs(childInputs(payload))),
  );
}

function nonceReply(requests: PendingRequests, query: unknown): NonceReply {
  const inputId = isJsonObject(query) ? query['inputId'] : undefined;
  const nonce = typeof inputId === 'string' ? requests.nonceOf(inputId) : undefined;
  return nonce === undefined ? {} : { nonce };
}

function setAnswerUpdates(run: RunHandlers): void {
  const { requests } = run;
  setHandler(
    resumeUpdate,
    async (payload) => {
      requests.updates += 1;
      if (!requests.isLoaded) await whenLoaded(requests);
      const input = refusing(() => resumeInput(payload));
      const found = refusing(() => requests.question(input, currentUpdateId()));
      if (found !== undefined)
        await routeAnswer(run, { ...input, inputId: found.inputId, kind: 'answer' });
      return { accepted: true, inputId: found?.inputId ?? input.inputId ?? '' };
    },
    {
      validator: validating((payload) =>
        requests.question(resumeInput(payload), currentUpdateId()),
      ),
      description: 'Answers a question: {answer, inputId?}',
    },
  );
  setHandler(
    approveUpdate,
    (payload) => decide(run, () => ({ kind: 'approve', ...approveInput(payload) })),
    {
      validator: validating((payload) =>
        requests.approval(approveInput(payload), currentUpdateId()),
      ),
      description: 'Approves a tool call: {inputId, args?}',
    },
  );
  setHandler(
    rejectUpdate,
    (payload) => decide(run, () => ({ kind: 'reject', ...rejectInput(payload) })),
    {
      validator: validating((payload) =>
        requests.approval(rejectInput(payload), currentUpdateId()),
      ),
      description: 'Rejects a tool call: {inputId, reason}',
    },
  );
}

async function decide(
  run: RunHandlers,
  read: () => Exclude<InputAnswer, { kind: 'answer' }>,
): Promise<ResumeReply> {
  const { requests } = run;
  requests.updates += 1;
  if (!requests.isLoaded) await whenLoaded(requests);
  const decision = refusing(read);
  const found = refusing(() => requests.approval(decision, currentUpdateId()));
  if (found !== undefined) await routeAnswer(run, decision);
  return { accepted: true, inputId: decision.inputId };
}

/**
 * Who waits for a run that is cancelled is told that it ended, not that the waiting was cancelled. Of many who are told at once, those
 * whom one message cannot carry the whole to are told where to read it.
 */
async function outcome(requests: PendingRequests, room: TaskRoom): Promise<OutcomeReply> {
  await condition(() => requests.pending.length > 0 || requests.ended || requests.moving);
  const reply = whole(requests);
  if (room.takes(reply)) return reply;
  return { kind: requests.ended ? 'ended' : 'moved' };
}

function whole(requests: PendingRequests): OutcomeReply {
  if (requests.result !== undefined) return { kind: 'complete', result: requests.result };
  if (requests.ended) return { kind: 'ended' };
  // An answer that came in the same task as the one who waits may have ended the pause since.
  if (requests.moving || requests.pending.length === 0) return { kind: 'moved' };
  return { kind: 'needs-input', pending: inputsThatTravel(requests.pending) };
}

async function routeAnswer(run: RunHandlers, answer: InputAnswer): Promise<void> {
  const { requests } = run;
  const child = requests.askerOf(answer.inputId);
  if (child === undefined) {
    try {
      run.feed(answer);
    } catch (error) {
      throw toWorkflowFailure(error);
    }
    requests.take(answer.inputId, currentUpdateId());
    return;
  }
  requests.take(answer.inputId, currentUpdateId());
  run.onChange();
  try {
    await run.sendAnswer(child, answer);
  } catch (error) {
    requests.reopen(answer.inputId);
    requests.drop(child, answer.inputId);
    run.onChange();
    throw toWorkflowFailure(
      new LonghaulError('NotWaiting', `who asked '${answer.inputId}' is gone: ${String(error)}`),
    );
  }
}

async function resumeBySignal(run: RunHandlers, payload: unknown): Promise<void> {
  await recordingRefusal(run, signalNames.resume, async () => {
    const input = resumeInput(typeof payload === 'string' ? { answer: payload } : payload);
    if (!run.requests.isLoaded) await whenLoaded(run.requests);
    const found = run.requests.question(input, currentUpdateId());
    if (found !== undefined)
      await routeAnswer(run, { ...input, inputId: found.inputId, kind: 'answer' });
  });
}

/** The first answer counts: what comes after it, or after its time ran out, changes nothing. */
async function takeAnswer(run: RunHandlers, answer: InputAnswer): Promise<void> {
  const { requests } = run;
  if (!requests.isLoaded) await whenLoaded(requests);
  const found =
    answer.kind === 'answer'
      ? requests.question(answer, currentUpdateId())
      : requests.approval(answer, currentUpdateId());
  if (found !== undefined) await routeAnswer(run, answer);
}

/** As the validator found, unless another answer came first while this one waited. Never waits: what is found is taken at once. */
function refusing<Found>(find: () => Found): Found {
  try {
    return find();
  } catch (error) {
    throw toWorkflowFailure(error);
  }
}

/** An answer may come before a run that continued as new has its log again. */
export async function whenLoaded(requests: PendingRequests): Promise<void> {
  await condition(() => requests.isLoaded || requests.ended);
}

async function recordingRefusal(
  { requests, onRefusal }: RunHandlers,
  signal: string,
  take: () => Promise<void> | void,
): Promise<void> {
  try {
    await take();
  } catch (error) {
    requests.refuse({
      signal,
      code: LonghaulError.is(error) ? error.code : 'InternalError',
      message: error instanceof Error ? oneLine(error.message, 300) : 'refused',
      at: new Date().toISOString(),
    });
    showing(onRefusal);
  }
}

/** What was refused is listed: that it cannot be shown changes nothing. */
function showing(show: () => void): void {
  try {
    show();
  } catch {
    // The next change shows it.
  }
}

/** Of a signal there is none: no signal is another one sent again. */
function currentUpdateId(): string | undefined {
  return currentUpdateInfo()?.id;
}

/** A validator refuses by throwing; what it throws must be a Temporal failure or it would fail the workflow task. */
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
