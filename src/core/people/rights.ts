// Checks what the sender of an answer may do. The backend sends the sender's rights with the answer. The run that asked checks them,
// because only the run knows what is open when the answer arrives. Pure.
//
// 1. An answer without rights comes from the backend itself, which may do everything.
// 2. A right that this version does not know permits nothing here.

import type { Json } from '../../base';
import { LonghaulError } from '../../protocol/errors';
import type { AnswerRight } from '../../protocol/people';
import type { InputAnswer, PendingInput } from '../../protocol/run';
import { budgetAmount } from '../budget/budget';

/** `answer` is set for an answer to a question. */
type Given = Pick<InputAnswer, 'may'> & { readonly answer?: Json };

type Asked = Pick<PendingInput, 'inputId' | 'kind' | 'byToken'>;

/** Throws `NotPermitted` if the sender lacks the right that the answer needs. Call it with an answer that fits the input. */
export function checkRight(input: Asked, given: Given): void {
  const needed = neededRight(input, given);
  if (needed === undefined || given.may === undefined || given.may.includes(needed)) return;
  const { inputId } = input;
  throw new LonghaulError('NotPermitted', `input '${inputId}': ${refusals[needed]}`, {
    details: { inputId, needed },
  });
}

const refusals: Readonly<Record<AnswerRight, string>> = {
  'raise-budget': "you may not raise this budget, but only answer 'stop'",
  'result-by-token': 'its result comes by the token of the call',
};

function neededRight({ kind, byToken }: Asked, given: Given): AnswerRight | undefined {
  if (byToken === true) return 'result-by-token';
  const { answer = '' } = given;
  const raises = kind === 'budget' && budgetAmount(answer) !== 'stop';
  return raises ? 'raise-budget' : undefined;
}
