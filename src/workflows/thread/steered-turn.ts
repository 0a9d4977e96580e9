// Brings messages to the run of the turn that is running.
//
// 1. It sends one message after another, because two signals at the same time may arrive in any order.
// 2. A turn that was cancelled or interrupted gets no message that came later. Such a message becomes a turn.
// 3. A message that arrived was taken or refused before the run ended, and the run's result lists the taken ones. All others come back.

import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  patched,
} from '@temporalio/workflow';
import { defined } from '../../base';
import { steerText } from '../../core/people/steering';
import { type SendInput, type SendReply, signalNames, type SteerInput } from '../../protocol';
import type { ThreadTurns } from './thread-turns';

export class SteeredTurn {
  #turn: 'starting' | 'running' | 'over' = 'over';
  /** Somebody has interrupted the turn. */
  #isInterrupted = false;
  #open = 0;
  #last: Promise<unknown> = Promise.resolve();
  readonly #turns: ThreadTurns;
  readonly #queue: (message: SendInput) => SendReply;

  /** `queue` makes the message a new turn. */
  constructor(turns: ThreadTurns, queue: (message: SendInput) => SendReply) {
    this.#turns = turns;
    this.#queue = queue;
  }

  /** The server finds the run only after its start. Call the function that this returns when it has started. */
  starting(): () => void {
    this.#turn = 'starting';
    this.#isInterrupted = false;
    return () => {
      this.#turn = 'running';
    };
  }

  /** The running turn gets no more messages. */
  leave(): void {
    this.#isInterrupted = this.#turns.running !== undefined;
  }

  /** Call it when the run has ended. Resolves when it is certain for each message whether it arrived. */
  async over(): Promise<void> {
    this.#turn = 'over';
    if (this.#open > 0) await condition(() => this.#open === 0);
  }

  /** Ends the running turn. Messages that its model did not get become turns. Returns the others. */
  finish(end: Parameters<ThreadTurns['finish']>[0]): readonly SendInput[] {
    const { read, unread } = this.#turns.finish(end);
    unread.forEach(this.#queue);
    return read;
  }

  /** Gives the message to the running turn. It becomes a turn if none runs, or if that one ends first. */
  async bring(message: SendInput): Promise<SendReply> {
    const takesNone = this.#isInterrupted && patched('longhaul:interrupted-takes-none');
    const given = takesNone ? undefined : this.#turns.give(message);
    if (given === undefined) return this.#queue(message);
    this.#open += 1;
    const sent = this.#last.then(() => this.#signal(given.workflowId, message));
    this.#last = sent;
    const isThere = await sent;
    this.#open -= 1;
    if (isThere) return given;
    this.#turns.takeBack(message.messageId);
    return this.#queue(message);
  }

  /** The run got the message after the request to cancel it, so the message becomes a turn. */
  takeBack(messageId: string): void {
    const message = this.#turns.takeBack(messageId);
    if (message !== undefined) this.#queue(message);
  }

  async #signal(workflowId: string, { messageId, input, by }: SendInput): Promise<boolean> {
    if (this.#turn === 'starting') await condition(() => this.#turn !== 'starting');
    if (this.#turn === 'over') return false;
    const message: SteerInput = { messageId, text: steerText(input), ...defined({ by }) };
    const run = getExternalWorkflowHandle(workflowId);
    return await CancellationScope.nonCancellable(() =>
      run.signal(signalNames.steer, message),
    ).then(
      () => true,
      () => false,
    );
  }
}
