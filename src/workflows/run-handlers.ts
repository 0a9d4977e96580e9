// Handlers that every run has, set synchronously before its first await.
//
// 1. Handlers never wait for a model and never throw: a refused signal changes nothing and shows in `state.rejected`.
// 2. Updates refuse in their validators, so that a refused answer leaves nothing in history.
// 3. `outcome` is the one handler that waits: until the run pauses, ends, or moves on to its next execution.

import {
  ApplicationFailure,
  condition,
  currentUpdateInfo,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import { answerText } from '../core/answer';
import { checkJson } from '../core/session';
import { oneLine } from '../core/text';
import { InvalidAnswer } from '../protocol/error-classes';
import { LonghaulError } from '../protocol/errors';
import { isJsonObject, type Json } from '../protocol/json';
import { queryNames, signalNames, updateNames } from '../protocol/names';
import type {
  ApproveInput,
  CancelInput,
  OutcomeReply,
  PendingInput,
  RejectInput,
  ResumeInput,
  ResumeReply,
  RunState,
} from '../protocol/run';
import type { AnswerPort, RunBoard } from './run-board';
import { toWorkflowFailure } from './durable';

const resumeSignal = defineSignal<[unknown]>(signalNames.resume);
const cancelSignal = defineSignal<[CancelInput | undefined]>(signalNames.cancelRun);
const outcomeUpdate = defineUpdate<OutcomeReply, []>(updateNames.outcome);
const resumeUpdate = defineUpdate<ResumeReply, [ResumeInput]>(updateNames.resume);
const approveUpdate = defineUpdate<ResumeReply, [ApproveInput]>(updateNames.approve);
const rejectUpdate = defineUpdate<ResumeReply, [RejectInput]>(updateNames.reject);
const stateQuery = defineQuery<RunState>(queryNames.state);
const pendingQuery = defineQuery<readonly PendingInput[]>(queryNames.pending);
const usageQuery = defineQuery<RunState['usage']>(queryNames.usage);

export type RunHandlers = {
  readonly board: RunBoard;
  readonly port: AnswerPort;
  readonly state: () => RunState;
  readonly cancel: (reason: string) => void;
};

export function setRunHandlers({ board, port, state, cancel }: RunHandlers): void {
  setHandler(stateQuery, state, {
    description: 'Where the run stands: status, turn, usage, open inputs',
  });
  setHandler(pendingQuery, () => board.pending, {
    description: 'The open questions and approvals',
  });
  setHandler(usageQuery, () => state().usage, { description: 'Tokens used so far' });
  setHandler(outcomeUpdate, () => outcome(board), {
    description: 'Waits for the next pause or the end',
  });
  setAnswerUpdates(board, port);
  setHandler(resumeSignal, (payload) => resumeBySignal(board, port, payload), {
    description: 'Answers the open question: "text" or {answer, inputId?}',
  });
  setHandler(cancelSignal, (input) => cancel(cancelReason(input)), {
    description: 'Cancels the run: {reason}',
  });
}

function setAnswerUpdates(board: RunBoard, port: AnswerPort): void {
  setHandler(
    resumeUpdate,
    (input) => {
      const found = board.question(input, updateId());
      if (found !== undefined) takeAnswer(board, port, { ...input, inputId: found.inputId });
      return { accepted: true, inputId: found?.inputId ?? input.inputId ?? '' };
    },
    {
      validator: validating((input) => board.question(resumeInput(input), updateId())),
      description: 'Answers a question',
    },
  );
  setHandler(
    approveUpdate,
    (input) => {
      if (board.approval(input, updateId()) !== undefined) {
        port.approve(input);
        board.take(input.inputId, updateId());
      }
      return { accepted: true, inputId: input.inputId };
    },
    {
      validator: validating((input) => board.approval(approveInput(input), updateId())),
      description: 'Approves a tool call',
    },
  );
  setHandler(
    rejectUpdate,
    (input) => {
      if (board.approval(input, updateId()) !== undefined) {
        port.reject(input);
        board.take(input.inputId, updateId());
      }
      return { accepted: true, inputId: input.inputId };
    },
    {
      validator: validating((input) => board.approval(rejectInput(input), updateId())),
      description: 'Rejects a tool call',
    },
  );
}

async function outcome(board: RunBoard): Promise<OutcomeReply> {
  await condition(() => board.pending.length > 0 || board.ended || board.moving);
  if (board.result !== undefined) return { kind: 'complete', result: board.result };
  if (board.ended) return { kind: 'ended' };
  if (board.moving) return { kind: 'moved' };
  return { kind: 'needs-input', pending: board.pending };
}

function takeAnswer(
  board: RunBoard,
  port: AnswerPort,
  input: ResumeInput & { readonly inputId: string },
): void {
  port.answer(input.inputId, answerText(input));
  board.take(input.inputId, updateId());
}

function resumeBySignal(board: RunBoard, port: AnswerPort, payload: unknown): void {
  try {
    const input = resumeInput(typeof payload === 'string' ? { answer: payload } : payload);
    const found = board.question(input, updateId());
    if (found !== undefined) takeAnswer(board, port, { ...input, inputId: found.inputId });
  } catch (error) {
    board.refuse({
      signal: signalNames.resume,
      code: LonghaulError.is(error) ? error.code : 'InternalError',
      message: error instanceof Error ? oneLine(error.message, 300) : 'refused',
      at: new Date().toISOString(),
    });
  }
}

function updateId(): string {
  return currentUpdateInfo()?.id ?? 'signal';
}

/** A validator refuses by throwing; what it throws must be a Temporal failure or it would fail the workflow task. */
function validating<Input>(check: (input: Input) => unknown): (input: Input) => void {
  return (input) => {
    try {
      check(input);
    } catch (error) {
      const failure = toWorkflowFailure(error);
      throw failure instanceof Error ? failure : ApplicationFailure.nonRetryable(String(failure));
    }
  };
}

function resumeInput(payload: unknown): ResumeInput {
  const input = objectOf(payload, '{answer, inputId?}');
  const inputId = optionalText(input, 'inputId');
  return { answer: input['answer'] ?? null, ...(inputId !== undefined && { inputId }) };
}

function approveInput(payload: unknown): ApproveInput {
  const input = objectOf(payload, '{inputId, args?}');
  const { args } = input;
  if (args !== undefined && args !== null && !isJsonObject(args)) {
    throw new InvalidAnswer('args must be a JSON object: the edited arguments of the call');
  }
  return { inputId: requiredText(input, 'inputId'), ...(isJsonObject(args) && { args }) };
}

function rejectInput(payload: unknown): RejectInput {
  const input = objectOf(payload, '{inputId, reason}');
  return { inputId: requiredText(input, 'inputId'), reason: requiredText(input, 'reason') };
}

function objectOf(payload: unknown, shape: string): { [key: string]: Json } {
  const violation = checkJson(payload);
  if (violation !== undefined || !isJsonObject(payload)) {
    throw new InvalidAnswer(`expected ${shape} as JSON`);
  }
  return payload;
}

function optionalText(input: { [key: string]: Json }, key: string): string | undefined {
  const value = input[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new InvalidAnswer(`${key} must be a text`);
  return value;
}

function requiredText(input: { [key: string]: Json }, key: string): string {
  const value = optionalText(input, key);
  if (value === undefined || value === '') throw new InvalidAnswer(`${key} is missing`);
  return value;
}

function cancelReason(input: unknown): string {
  const reason = isJsonObject(input) ? input['reason'] : input;
  return typeof reason === 'string' && reason !== '' ? oneLine(reason, 500) : 'cancelled';
}
