// Brings messages to the run of the turn that is running.
//
// 1. One after another, because signals that are under way together may arrive in any order.
// 2. A message that arrived was taken or refused before the run ended, and the run's result says which. All others come back.

import { CancellationScope, condition, getExternalWorkflowHandle } from '@temporalio/workflow';
import { steerText } from '../../core/people/steering';
import { signalNames } from '../../protocol/names';
import type { SteerInput } from '../../protocol/run';
import type { SendInput } from '../../protocol/thread';

export class TurnCourier {
  #turn: 'starting' | 'running' | 'over' = 'over';
  #open = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** The server finds the run only after its start. */
  starting(): void {
    this.#turn = 'starting';
  }

  started(): void {
    this.#turn = 'running';
  }

  /** The run has ended. Resolves when it is certain for each message whether it arrived. */
  async over(): Promise<void> {
    this.#turn = 'over';
    if (this.#open > 0) await condition(() => this.#open === 0);
  }

  /** False if the run has ended. `arrived` gets the answer in the moment when it is certain. */
  async bring(
    workflowId: string,
    { messageId, input, by }: SendInput,
    arrived: (isThere: boolean) => void,
  ): Promise<void> {
    const message: SteerInput = { messageId, text: steerText(input), ...(by && { by }) };
    this.#open += 1;
    const sent = this.#last.then(() => this.#signal(workflowId, message));
    this.#last = sent;
    arrived(await sent);
    this.#open -= 1;
  }

  async #signal(workflowId: string, message: SteerInput): Promise<boolean> {
    if (this.#turn === 'starting') await condition(() => this.#turn !== 'starting');
    if (this.#turn === 'over') return false;
    const run = getExternalWorkflowHandle(workflowId);
    return await CancellationScope.nonCancellable(() =>
      run.signal(signalNames.steer, message),
    ).then(
      () => true,
      () => false,
    );
  }
}
