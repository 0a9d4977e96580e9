// Between a run and the one that lists its questions: what it waits for goes up, always as the whole list, in order.

import { getExternalWorkflowHandle, workflowInfo } from '@temporalio/workflow';
import { limits } from '../../protocol/limits';
import { signalNames } from '../../protocol/names';
import type {
  ChildInputs,
  ChildOutcome,
  ChildResult,
  InputAnswer,
  PendingInput,
  RunSpend,
} from '../../protocol/run';
import { inputsThatTravel } from './inputs-that-travel';

/** Who tells: `branch` as in `Lineage`. */
export type ReportingRun = {
  readonly child: string;
  readonly branch: string | undefined;
  /** What an execution before this one told last is not known: even that nothing is open is told again. */
  readonly isContinued: boolean;
};

export class InputReporter {
  readonly #root: string;
  readonly #child: string;
  readonly #branch: string;
  #told: string | undefined;
  #sending = Promise.resolve();

  constructor(root: string, { child, branch, isContinued }: ReportingRun) {
    this.#root = root;
    this.#child = child;
    this.#branch = branch ?? child;
    this.#told = isContinued ? undefined : '';
  }

  /** Tells what this child waits for now, if it is not what was told last. */
  report(inputs: readonly PendingInput[]): void {
    const ids = inputs.map((input) => input.inputId).join(' ');
    if (ids === this.#told) return;
    this.#told = ids;
    this.#send(this.#child, inputsThatTravel(inputs, limits.toldInputsBytes));
  }

  /** Another child, below this run, is gone. */
  forget(child: string): void {
    this.#send(child, []);
  }

  /** Everything told has reached the server. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  /** A root run that is gone takes this one with it: nobody is left to be told. */
  #send(child: string, inputs: readonly PendingInput[]): void {
    const branch = this.#branch;
    const message: ChildInputs = { child, ...(branch !== child && { branch }), inputs };
    const root = getExternalWorkflowHandle(this.#root);
    this.#sending = this.#sending
      .then(() => root.signal(signalNames.childInputs, message))
      .catch(() => undefined);
  }
}

/** An answer on its way down. Addressed by workflow id only: a reset gave the child another execution. */
export async function sendAnswer(child: string, answer: InputAnswer): Promise<void> {
  await getExternalWorkflowHandle(child).signal(signalNames.answer, answer);
}

/** What this run came to, or what it spent, goes to the run that called it. One that is gone needs neither. */
export async function reportToCaller(
  told: { readonly result: ChildResult } | { readonly spend: RunSpend },
): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (parent === undefined) return;
  const outcome: ChildOutcome = { child: workflowId, ...told };
  await getExternalWorkflowHandle(parent.workflowId)
    .signal(signalNames.childResult, outcome)
    .catch(() => undefined);
}
