// Cancels a run or a thread, and sends hints to the workers of its calls.

import { CancellationScope, proxySinks, workflowInfo } from '@temporalio/workflow';
import type { Cancelling, HintSinks } from '../../protocol';
import { controlActivities } from '../activity-proxies';

const { longhaul } = proxySinks<HintSinks>();

/** The request to cancel an execution. Only the server can end a workflow as Canceled, so the request goes to the server and comes back. */
export class Cancellation {
  readonly #root = CancellationScope.current();
  #asked: Cancelling | undefined;

  /** Who asked for the end of the run by our signal, and why. */
  get asked(): Cancelling | undefined {
    return this.#asked;
  }

  /** Somebody asked for the end of the run. */
  get isAsked(): boolean {
    return this.#asked !== undefined || this.#root.consideredCancelled;
  }

  /** An execution before was asked. This one knows it before it takes messages, and asks the server itself when it has loaded. */
  know(cancelling: Cancelling): void {
    this.#asked ??= cancelling;
  }

  ask(cancelling: Cancelling): void {
    this.know(cancelling);
    const { firstExecutionRunId } = workflowInfo();
    CancellationScope.nonCancellable(() =>
      controlActivities.requestCancellation({ firstExecutionRunId }),
    ).catch(() => undefined);
  }
}

/**
 * Sends the workers a hint that calls of this execution are cancelled. Otherwise they learn it from the answer to their next heartbeat,
 * which may take seconds. The hint is no command, so history does not have it.
 */
export function hintAtCancelledCalls(): void {
  if (!workflowInfo().unsafe.isReplaying) longhaul.callsCancelled();
}
