// Decides whether an answer may be taken. Validators and handlers call this one function, and call it again after each wait. It returns the
// answer with its open input, undefined for a repeated update, or throws why the answer is refused. Pure.
//
// 1. Each input has one answer. The first one counts. The same update again gets the same reply; any other answer gets AlreadyAnswered.
// 2. A refused answer changes nothing.

import { listInputs, severalOpen } from '../../core/machine/answer';
import { checkRight } from '../../core/people/rights';
import { checkVerdict, missingApprovals } from '../../core/people/verdicts';
import { defined } from '../../base';
import { LonghaulError, type PendingInput } from '../../protocol';
import type { Requests } from '../lifecycle/requests';
import { type Answer, checkFits } from './answers';
import { checkInTime } from './due';
import { type AdmittedAnswer, inputTimeout } from './open-inputs';

/**
 * Undefined if this very update was taken before; a signal has no update id. Throws everything else that the sender must know.
 */
export function admitAnswer(
  requests: Requests,
  answer: Answer,
  updateId: string | undefined,
): AdmittedAnswer | undefined {
  if ('proof' in answer) requests.tokens.check(answer.inputId, answer.proof);
  const { inputId } = answer;
  const earlier = inputId === undefined ? undefined : requests.inputs.taken.of(inputId);
  if (earlier?.updateId === inputTimeout)
    throw new LonghaulError('NotWaiting', `nobody answered '${inputId}' in time`);
  if (earlier !== undefined) {
    if (updateId !== undefined && earlier.updateId === updateId) return undefined;
    const { by } = earlier;
    const who = by === undefined ? '' : ` by '${by}'`;
    throw new LonghaulError(
      'AlreadyAnswered',
      `input '${inputId}' was already answered${who}; the first answer counts`,
      { details: defined({ by }) },
    );
  }
  const asked = openInput(requests, inputId);
  checkFits(asked, answer);
  checkRight(asked, answer);
  checkInTime(asked, Date.now());
  checkVerdict(asked, answer);
  return {
    answer: { ...answer, inputId: asked.inputId },
    asked,
    missing: missingApprovals(asked, answer),
  };
}

function openInput({ inputs, phase }: Requests, inputId: string | undefined): PendingInput {
  const { pending } = inputs;
  const [first] = pending;
  if (first === undefined) {
    const now = phase.status === 'loading' ? 'it is still loading' : `it is ${phase.status}`;
    throw new LonghaulError('NotWaiting', `the run is not waiting for an answer: ${now}`);
  }
  if (inputId === undefined) {
    if (pending.length === 1) return first;
    throw severalOpen(pending);
  }
  const found = pending.find((input) => input.inputId === inputId);
  if (found !== undefined) return found;
  const open = listInputs(pending);
  throw new LonghaulError('NotWaiting', `no open input '${inputId}'; open: ${open}`);
}
