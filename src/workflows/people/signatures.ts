// Lets a worker check the signature of an answer, if the workers have the hook. Two workflows check: the run or thread that gets the
// update, so that the sender gets the refusal, and the run that asked, because anybody may send it a signal.
//
// 1. Anybody may send any number of signals. A few are checked at a time, and they fit into a workflow task.

import { condition, currentUpdateInfo, isCancellation, patched } from '@temporalio/workflow';
import { defined } from '../../base';
import {
  type InputAnswer,
  limits,
  LonghaulError,
  type PendingInput,
  type WorkerHook,
} from '../../protocol';
import { signatureActivities } from '../activity-proxies';
import { failureReason } from '../children/child-failure';
import type { Answer } from './answers';
import type { AdmittedAnswer } from './open-inputs';
import { inputForHook } from '../children/messages';
import { TaskPayloadBudget } from '../lifecycle/task-payload-budget';

/** The execution that an answer reaches. */
type Reached = {
  readonly history: { readonly look: () => void };
  readonly info: { readonly workflowId: string };
  readonly view: {
    readonly hooks: readonly WorkerHook[] | undefined;
    readonly application?: string | undefined;
  };
};

export class SignatureChecks {
  readonly #of: Reached;
  readonly #budget = new TaskPayloadBudget(limits.checkedBytes);
  #open = 0;

  constructor(of: Reached) {
    this.#of = of;
  }

  /** An update with a token needs no signature: its validator has checked the token. */
  areNeededFor(answer: Answer): boolean {
    if (this.#of.view.hooks?.includes('checkSignature') !== true) return false;
    const isByToken = 'proof' in answer && answer.proof !== undefined;
    return !(isByToken && currentUpdateInfo() !== undefined);
  }

  /** Throws `NotPermitted` unless a worker accepts the signature. */
  async check({ answer, asked }: AdmittedAnswer): Promise<void> {
    const { inputId } = asked;
    const hasRoom = (): boolean => this.#open < limits.signatureChecks;
    // All waiting checks wake at the same time, and the first one goes.
    do await condition(hasRoom);
    while (!hasRoom() && patched('longhaul:few-checks'));
    this.#open += 1;
    try {
      const problem = await this.#problem(answer, asked);
      if (problem === undefined) return;
      throw new LonghaulError('NotPermitted', `input '${inputId}': ${problem}`, {
        details: { inputId },
      });
    } finally {
      this.#open -= 1;
      this.#of.history.look();
    }
  }

  /** The sender's rights (`may`) are not part of the signed answer. */
  async #problem(
    { may: _may, ...answer }: InputAnswer,
    asked: PendingInput,
  ): Promise<string | undefined> {
    const { application } = this.#of.view;
    const input = {
      ...defined({ application }),
      workflowId: this.#of.info.workflowId,
      input: inputForHook(asked),
      answer,
    };
    await this.#budget.enter(input);
    try {
      return (await signatureActivities.checkSignature(input)).problem;
    } catch (error) {
      if (isCancellation(error)) throw error;
      return `the signature could not be checked: ${failureReason(error)}`;
    }
  }
}
