// Lets a worker check the signature of an answer, if the workers have the hook. Both ask: the run or thread that an update reaches, so that
// its sender hears of a refusal, and the run that asked, because anybody may send it a signal.

import { currentUpdateInfo, isCancellation } from '@temporalio/workflow';
import { LonghaulError } from '../../protocol/errors';
import type { InputAnswer, PendingInput } from '../../protocol/run';
import { signatureActivities } from '../activity-proxies';
import { failureReason } from '../children/child-failure';
import type { Answer } from './answers';
import type { Execution } from './execution';
import { inputForHook } from './messages';

/** A token stands for itself. Only the validator of an update has compared it. */
export function needsSignature({ view }: Execution, answer: Answer): boolean {
  const isByToken = 'token' in answer && answer.token !== undefined;
  if (view.hooks?.includes('checkSignature') !== true) return false;
  return !(isByToken && currentUpdateInfo() !== undefined);
}

/** Throws `NotPermitted` unless a worker accepts the signature. */
export async function checkSignature(
  { info, view }: Execution,
  answer: InputAnswer,
  asked: PendingInput,
): Promise<void> {
  const { inputId } = asked;
  const { workflowId } = info;
  const { application } = view;
  const whose = application === undefined ? {} : { application };
  const problem = await signatureActivities
    .checkSignature({ ...whose, workflowId, input: inputForHook(asked), answer })
    .then((result) => result.problem)
    .catch((error: unknown) => {
      if (isCancellation(error)) throw error;
      return `the signature could not be checked: ${failureReason(error)}`;
    });
  if (problem === undefined) return;
  throw new LonghaulError('NotPermitted', `input '${inputId}': ${problem}`, {
    details: { inputId },
  });
}
