// Puts together what people and callers ask of a run or a thread: its phase, its open inputs and its tokens. It also carries them through
// continue-as-new. Knows no Temporal.

import {
  aList,
  anything,
  number,
  type PendingInput,
  type RejectedSignal,
  type Shape,
  stored,
} from '../../protocol';
import { OpenInputs } from '../people/open-inputs';
import { type CarriedTokens, ResultTokens } from '../people/result-tokens';
import { type CarriedAnswer, TakenAnswers } from '../people/taken-answers';
import { Phase } from './phase';

export const carriedRequestsShape = stored(
  {
    pauseSeq: number,
    pending: aList<PendingInput>(),
    answered: aList<CarriedAnswer>(),
    rejected: aList<RejectedSignal>(),
  },
  { tokens: anything<CarriedTokens>() },
);

/** What survives continue-as-new. */
export type CarriedRequests = Shape<typeof carriedRequestsShape>;

export type Requests = {
  readonly phase: Phase;
  readonly inputs: OpenInputs;
  readonly tokens: ResultTokens;
};

/** `carried`: from the execution before this one. */
export function openRequests(carried?: CarriedRequests): Requests {
  const taken = new TakenAnswers(carried?.answered);
  const inputs = new OpenInputs(taken, carried?.pending, carried?.pauseSeq);
  const phase = new Phase(inputs, carried?.rejected);
  return { phase, inputs, tokens: new ResultTokens(carried?.tokens) };
}

export function carryRequests({ phase, inputs, tokens }: Requests): CarriedRequests {
  const { pauseSeq, own: pending } = inputs;
  const answered = inputs.taken.carry();
  const known = new Set([...answered.map(([id]) => id), ...pending.map(({ inputId }) => inputId)]);
  const kept = tokens.carry((inputId) => known.has(inputId));
  return {
    pauseSeq,
    pending,
    answered,
    rejected: [...phase.rejected],
    ...(kept.length > 0 && { tokens: kept }),
  };
}
