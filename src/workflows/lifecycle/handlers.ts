// Handlers that runs and threads share. The constructor sets them synchronously, before the first await.
//
// 1. Handlers never wait for a model and never throw. They read a signal or an update whole before anything changes. A refused signal
//    changes nothing and shows in `state.rejected`.
// 2. Updates refuse in their validators, so that a refused update leaves nothing in history.
// 3. `outcome` waits until the run pauses, ends, or moves to its next execution. Except for answers (see `take-answer`), no other handler
//    waits.

import { CancellationScope, condition, defineUpdate, setHandler } from '@temporalio/workflow';
import { isJsonObject } from '../../base';
import {
  limits,
  type NonceReply,
  type OutcomeReply,
  type PendingInput,
  queryNames,
  signalNames,
  updateNames,
} from '../../protocol';
import { childInputs, inputsThatTravel, mayGrow } from '../children/messages';
import { RetriedCalls } from '../display/retried-calls';
import { readAnswer, readCancelling } from '../people/answers';
import { asDeployed } from '../people/deployed-tools';
import { setAnswers, takeAnswer } from '../people/take-answer';
import { afterOthers, setQuery, setSignal } from './define-handlers';
import type { Execution } from './execution';
import type { Requests } from './requests';
import { TaskPayloadBudget } from './task-payload-budget';

export function setHandlers(execution: Execution): void {
  const { inputs } = execution;
  const pending = (): readonly PendingInput[] => inputsThatTravel(inputs.pending.map(asDeployed));
  setQuery(
    queryNames.state,
    () => ({ ...execution.state, pending: pending() }),
    'Where the run stands: status, turn, usage, open inputs',
  );
  setQuery(queryNames.pending, pending, 'The open questions and approvals');
  setQuery(
    queryNames.nonce,
    (query) => nonceReply(execution, query),
    'What the update ids of an answer are made of: {inputId}',
  );
  setQuery(queryNames.usage, () => execution.state.usage, 'Tokens used so far');
  setOutcome(execution);
  setAnswers(execution);
  setSignal(execution, signalNames.resume, {
    take: async (payload) => {
      const given = typeof payload === 'string' ? { answer: payload } : payload;
      await takeAnswer(execution, readAnswer('answer', given));
    },
    description: 'Answers the open question: "text" or {answer, inputId?}',
  });
  setSignal(execution, signalNames.cancelRun, {
    take: (payload) => execution.cancellation.ask(readCancelling(payload)),
    description: 'Cancels the run: {reason, by?}',
  });
  setSignal(execution, signalNames.retrying, {
    take: (calls) => {
      if (calls instanceof RetriedCalls) execution.showRetries(calls);
    },
  });
  setSignal(execution, signalNames.childInputs, {
    take: (payload) => execution.owner.takeInputs(childInputs(payload, mayGrow)),
  });
}

function nonceReply({ inputs, tokens }: Requests, query: unknown): NonceReply {
  const inputId = isJsonObject(query) ? query['inputId'] : undefined;
  if (typeof inputId !== 'string') return {};
  const nonce = inputs.nonceOf(inputId);
  if (nonce !== undefined) return { nonce };
  return tokens.isBeginning(inputId) ? { isBeginning: true } : {};
}

/**
 * It runs outside cancellation: callers of a cancelled run learn that it ended, not that their wait was cancelled. One message may be too
 * small for the whole reply to all callers. The others learn where to read it.
 */
function setOutcome({ phase, inputs, history }: Execution): void {
  const budget = new TaskPayloadBudget(limits.replies);
  const outcome = async (): Promise<OutcomeReply> => {
    await afterOthers(phase, () =>
      condition(() => inputs.pending.length > 0 || phase.ended || phase.isMoving),
    );
    const reply = wholeReply({ phase, inputs });
    if (budget.takes(reply)) return reply;
    return { kind: phase.ended ? 'ended' : 'moved' };
  };
  setHandler(
    defineUpdate<OutcomeReply, []>(updateNames.outcome),
    () => {
      phase.updates += 1;
      history.look();
      return CancellationScope.nonCancellable(outcome);
    },
    { description: 'Waits for the next pause or the end' },
  );
}

function wholeReply({ phase, inputs }: Omit<Requests, 'tokens'>): OutcomeReply {
  if (phase.result !== undefined) return { kind: 'complete', result: phase.result };
  if (phase.ended) return { kind: 'ended' };
  // An answer in the same task may already have ended the pause.
  if (phase.isMoving || inputs.pending.length === 0) return { kind: 'moved' };
  return { kind: 'needs-input', pending: inputsThatTravel(inputs.pending) };
}
