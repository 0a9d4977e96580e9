// Calls a worker's hooks about people. `onPause` informs them of a question. `checkSignature` checks that an answer comes from them.

import { Context } from '@temporalio/activity';
import {
  type CheckSignatureInput,
  type CheckSignatureResult,
  type InputAnswer,
  LonghaulError,
  type NotifyPauseInput,
  type PauseNotice,
  type PendingInput,
  type WorkerHook,
} from '../../protocol';
import { describeError, notHere } from '../failures';
import { untilAborted } from '../user-code';

/** It is called at least once for each pause, reminder and escalation. All attempts for one of them have the same key. */
export type OnPause = (
  notice: PauseNotice,
  call: { readonly idempotencyKey: string; readonly signal: AbortSignal },
) => void | Promise<void>;

/** Only `true` accepts the answer. May be called more than once for an answer. */
export type CheckSignature = (
  answer: InputAnswer,
  input: PendingInput,
  call: { readonly workflowId: string; readonly signal: AbortSignal },
) => boolean | Promise<boolean>;

export type PeopleHooks = {
  readonly onPause?: OnPause;
  readonly checkSignature?: CheckSignature;
};

/** The names of the hooks. The member is left out if there are no hooks, because it is in the history of every run. */
export function hooksHere({
  onPause,
  checkSignature: check,
  telemetry,
}: PeopleHooks & { readonly telemetry?: unknown }): { hooks?: WorkerHook[] } {
  const hooks: WorkerHook[] = [
    ...(onPause === undefined ? [] : (['onPause'] as const)),
    ...(check === undefined ? [] : (['checkSignature'] as const)),
    ...(telemetry === undefined ? [] : (['telemetry'] as const)),
  ];
  return hooks.length === 0 ? {} : { hooks };
}

/** Fails if the hook throws. Temporal then tries again, here or on another worker. */
export async function notifyPause(
  { onPause }: PeopleHooks,
  { notice, idempotencyKey }: NotifyPauseInput,
): Promise<void> {
  // The worker that loaded the definition had the hook. In a rolling deploy this worker may lack it: a notice then waits for another
  // worker, for hours.
  if (onPause === undefined)
    throw new LonghaulError('InternalError', 'this worker has no onPause', { retryable: true });
  const signal = Context.current().cancellationSignal;
  await calling('onPause', signal, () => onPause(notice, { idempotencyKey, signal }));
}

export async function checkSignature(
  { checkSignature: check }: PeopleHooks,
  { workflowId, input, answer }: CheckSignatureInput,
): Promise<CheckSignatureResult> {
  if (check === undefined) throw notHere('checkSignature');
  const signal = Context.current().cancellationSignal;
  const isAccepted = await calling('checkSignature', signal, () =>
    check(answer, input, { workflowId, signal }),
  );
  if (isAccepted === true) return {};
  return {
    problem:
      answer.signature === undefined ? 'it has no signature' : 'the signature does not fit it',
  };
}

async function calling<Result>(
  hook: WorkerHook,
  signal: AbortSignal,
  call: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await untilAborted(async () => await call(), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new LonghaulError(
      'InternalError',
      `${hook} of this worker threw: ${describeError(error)}`,
      {
        cause: error,
        retryable: true,
      },
    );
  }
}
