// The limits of a real server with its defaults, and the size checks that SDK Core makes before it sends.
//
// 1. Core never sends a payload that is too large. An activity fails then and is tried again; a workflow task fails, and is tried again for
//    ever.
// 2. A run with too long a history is ended by the write after the one that made it so long.

import type { temporal } from '@temporalio/proto';
import type { TaskAnswer } from '../core/core-run';
import type { OutgoingMessage, Payloads as Fields, ServerCommand } from '../core/operations';
import { temporal as api } from '../internals';

const mebibyte = 1_024 * 1_024;

export const limits = {
  payload: 2 * mebibyte,
  memo: 2 * mebibyte,
  /** Of one request, and of all events that one write adds. */
  request: 4 * mebibyte,
  transaction: 4 * mebibyte,
  historyBytes: 50 * mebibyte,
  historyEvents: 51_200,
  signals: 10_000,
  updatesInFlight: 10,
  updates: 2_000,
  pending: 2_000,
};

export const messages = {
  payload: 'Blob data size exceeds limit.',
  memo: 'Memo size exceeds limit.',
  historyBytes: 'Workflow history size exceeds limit.',
  historyEvents: 'Workflow history count exceeds limit.',
  transaction: 'Transaction size exceeds limit.',
  signals: 'exceeded workflow execution limit for signal events',
  updatesInFlight: `limit on number of concurrent in-flight updates has been reached (${limits.updatesInFlight})`,
  updates: `The limit on the total number of distinct updates in this workflow has been reached (${limits.updates}). Make sure any duplicate updates share an Update ID so the server can deduplicate them, and consider rejecting updates that you aren't going to process.`,
} as const;

type Payload = temporal.api.common.v1.IPayload;
type Failure = temporal.api.failure.v1.IFailure;

const { Payload, Payloads, Memo } = api.api.common.v1;
const { Failure } = api.api.failure.v1;
const { WorkflowTaskFailedCause: causes } = api.api.enums.v1;
const tooLargeCause = causes.WORKFLOW_TASK_FAILED_CAUSE_PAYLOADS_TOO_LARGE;

export function sizeOfPayloads(payloads: readonly Payload[] | null | undefined): number {
  return Payloads.encode({ payloads: [...(payloads ?? [])] }).len;
}

export function sizeOfMemo(fields: Fields | null | undefined): number {
  return Memo.encode({ fields: { ...fields } }).len;
}

export const sizeOfFailure = (failure: Failure | null | undefined): number =>
  Failure.encode(failure ?? {}).len;

const tooLarge = (what: 'payloads' | 'memo'): string =>
  `[TMPRL1103] Attempted to upload ${what} with size that exceeded the error limit.`;

/** What an activity fails with in place of a result that is too large. It may be tried again. */
export const resultTooLarge: Failure = {
  message: tooLarge('payloads'),
  applicationFailureInfo: { type: 'PayloadsTooLarge' },
};

/** Why Core does not send the answer to a workflow task. `cause`: Temporal's number. */
export type Unsent = { readonly cause: number; readonly message: string };

const sizesOf = ({ commands, messages: sent }: TaskAnswer): readonly Sizes[] => [
  ...commands.map(sizesOfCommand),
  ...sent.map(sizesOfMessage),
];

export const sizeOfAnswer = (answer: TaskAnswer): number =>
  sizesOf(answer).reduce((sum, { payload, memo = 0 }) => sum + payload + memo, 0);

export function unsent(answer: TaskAnswer): Unsent | undefined {
  const sizes = sizesOf(answer);
  if (sizes.some(({ payload }) => payload > limits.payload))
    return { cause: tooLargeCause, message: tooLarge('payloads') };
  if (sizes.some(({ memo = 0 }) => memo > limits.memo))
    return { cause: tooLargeCause, message: tooLarge('memo') };
  if (sizeOfAnswer(answer) > limits.request)
    return {
      cause: causes.WORKFLOW_TASK_FAILED_CAUSE_GRPC_MESSAGE_TOO_LARGE,
      message: 'GRPC Message too large: received message larger than max',
    };
  return undefined;
}

type Sizes = { readonly payload: number; readonly memo?: number };

function sizesOfCommand(command: ServerCommand): Sizes {
  switch (command.kind) {
    case 'scheduleActivity':
      return { payload: sizeOfPayloads(command.attributes.arguments) };
    case 'startChild':
      return {
        payload: sizeOfPayloads(command.attributes.input),
        memo: sizeOfMemo(command.attributes.memo),
      };
    case 'signal':
      return { payload: sizeOfPayloads(command.attributes.args) };
    case 'modifyProperties':
      return { payload: 0, memo: sizeOfMemo(command.fields) };
    case 'complete':
      return { payload: Payload.encode(command.attributes.result ?? {}).len };
    case 'fail':
      return { payload: sizeOfFailure(command.attributes.failure) };
    case 'continueAsNew':
      return {
        payload: sizeOfPayloads(command.attributes.arguments),
        memo: sizeOfMemo(command.attributes.memo),
      };
    default:
      return { payload: 0 };
  }
}

function sizesOfMessage(message: OutgoingMessage): Sizes {
  if (message.kind === 'accepted')
    return { payload: sizeOfPayloads(message.request.request.input?.args?.payloads) };
  if (message.kind === 'rejected') return { payload: sizeOfFailure(message.failure) };
  const { failure, success } = message.outcome;
  return { payload: failure ? sizeOfFailure(failure) : sizeOfPayloads(success?.payloads) };
}

/** Why the server refuses the answer to a workflow task, which is then tried again. */
export function tooManyPending(
  pending: { readonly activities: number; readonly children: number },
  commands: readonly ServerCommand[],
): Unsent | undefined {
  const count = (kind: ServerCommand['kind']): number =>
    commands.filter((command) => command.kind === kind).length;
  const reached = `${limits.pending}, has reached the per-workflow limit of ${limits.pending}`;
  if (pending.activities + count('scheduleActivity') > limits.pending)
    return {
      cause: causes.WORKFLOW_TASK_FAILED_CAUSE_PENDING_ACTIVITIES_LIMIT_EXCEEDED,
      message: `PendingActivitiesLimitExceeded: the number of pending activities, ${reached}`,
    };
  if (pending.children + count('startChild') > limits.pending)
    return {
      cause: causes.WORKFLOW_TASK_FAILED_CAUSE_PENDING_CHILD_WORKFLOWS_LIMIT_EXCEEDED,
      message: `PendingChildWorkflowsLimitExceeded: the number of pending child workflow executions, ${reached}`,
    };
  return undefined;
}
