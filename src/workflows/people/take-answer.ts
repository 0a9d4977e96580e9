// Takes the answers of people, by update and by signal. It checks an answer, and passes it to this run's machine or to the run below that
// asked.
//
// 1. `admitAnswer` runs up to three times for one answer: in the validator of the update, so that a refused answer leaves nothing in
//    history; in the handler, because a replay runs no validators, and because another answer may have come first; and after the check of a
//    signature.
// 2. An answer for this run goes to its machine at once. An answer for a child is first taken here and then sent down, so that it goes
//    once.
// 3. An answer waits until the run has loaded, as after continue-as-new, and while a worker checks its signature.

import { currentUpdateInfo } from '@temporalio/workflow';
import { checkShape } from '../../core/people/answer-shape';
import { asksAnew, checkVotesOnce, hasVoted } from '../../core/people/verdicts';
import { limits, LonghaulError, type ResumeReply, updateNames } from '../../protocol';
import { sendAnswer } from '../children/messages';
import type { Execution } from '../lifecycle/execution';
import { setUpdate, whenLoaded } from '../lifecycle/define-handlers';
import { admitAnswer } from './admit-answer';
import { type Answer, type AnswerKind, readAnswer, takenAnswer } from './answers';
import { asDeployed } from './deployed-tools';
import type { AdmittedAnswer } from './open-inputs';

const updates: readonly (readonly [kind: AnswerKind, name: string, description: string])[] = [
  ['answer', updateNames.resume, 'Answers a question: {answer, inputId?}'],
  ['approve', updateNames.approve, 'Approves a tool call: {inputId, args?}'],
  ['reject', updateNames.reject, 'Rejects a tool call: {inputId, reason}'],
  ['complete', updateNames.complete, 'Gives the result of a tool call: {inputId, value}'],
  ['fail', updateNames.fail, 'Says that a tool call failed elsewhere: {inputId, reason}'],
];

export function setAnswers(execution: Execution): void {
  for (const [kind, name, description] of updates) {
    setUpdate<ResumeReply>(execution, name, {
      take: (payload) => takeAnswer(execution, takenAnswer(kind, payload)),
      check: (payload) => {
        const admitted = admitAnswer(execution, readAnswer(kind, payload), currentUpdateId());
        if (admitted === undefined) return;
        const { asked, answer } = admitted;
        checkShape(asDeployed(asked), answer);
        // A repeated vote is a retry. But no single person may use up the updates that the server takes.
        if (execution.phase.updates >= limits.historyUpdates) checkVotesOnce(asked, answer);
      },
      description,
    });
  }
}

/** It awaits only what it must before it takes the answer, so that the next validator knows the answer. */
export async function takeAnswer(execution: Execution, answer: Answer): Promise<ResumeReply> {
  const { phase, signatures } = execution;
  if (!phase.isLoaded) await whenLoaded(phase);
  let admitted = admitAnswer(execution, answer, currentUpdateId());
  if (admitted !== undefined && signatures.areNeededFor(answer)) {
    await signatures.check(admitted);
    // Somebody else may have answered meanwhile.
    admitted = admitAnswer(execution, admitted.answer, currentUpdateId());
  }
  if (admitted === undefined) return { accepted: true, inputId: answer.inputId ?? '' };
  const { asked, answer: taken, missing } = admitted;
  // The validator has checked an update. It does not run again in a replay, so what was accepted stays accepted.
  if (currentUpdateId() === undefined) checkShape(asked, taken);
  const isRepeated = missing > 0 && taken.by !== undefined && hasVoted(asked, taken.by);
  if (!isRepeated) await passOn(execution, admitted);
  return {
    accepted: true,
    inputId: asked.inputId,
    ...(missing > 0 && { missing }),
    ...(asksAnew(asked, taken) && { asksAnew: true as const }),
  };
}

/** Gives the answer to this run's own machine, or to the run below that asked. */
async function passOn(execution: Execution, admitted: AdmittedAnswer): Promise<void> {
  const { inputs } = execution;
  const { inputId } = admitted.answer;
  const child = inputs.childThatAsked(inputId);
  if (child === undefined) {
    inputs.takeOwn(admitted, currentUpdateId(), execution.asker);
    // The loop shows every other answer, when it wakes.
    if (admitted.missing > 0) execution.show();
    else execution.showAnswers();
    return;
  }
  inputs.take(admitted, currentUpdateId());
  execution.show();
  try {
    await sendAnswer(child, admitted.answer);
  } catch (error) {
    inputs.withdraw(child, inputId);
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
