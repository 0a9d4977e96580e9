// Keeps the calls that this process makes for runs. After a hint that an execution cancelled some of them, each call asks the server.
//
// 1. Only the server's answer ends a call. A false hint costs a few requests.
// 2. A hint may come before the server knows of the cancellation. So a call asks several times.

import { setTimeout as sleep } from 'node:timers/promises';
import { CompleteAsyncError, type Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { timeouts } from '../protocol';

/** The pauses before the requests. Most hints are true after the first two. */
const pausesMs = [10, 30, 60, 150, 350, 700];

/** The open calls, by the run id of the execution. */
const openCalls = new Map<string, Set<OpenCall>>();

/** Call it after a hint: calls of this execution may be cancelled. */
export function askAboutCalls(runId: string): void {
  for (const call of openCalls.get(runId) ?? []) call.ask();
}

/** One attempt at a call, until `close`. `tell` rejects if the server wants the attempt to end. */
export class OpenCall {
  readonly #context: Context;
  readonly #tell: () => Promise<void>;
  readonly #ended = new AbortController();
  #asked = pausesMs.length;
  #isClosed = false;
  /** Whether the server waits for the attempt to report that it is cancelled. */
  #isAwaited = false;

  constructor(context: Context, tell: () => Promise<void>) {
    this.#context = context;
    this.#tell = tell;
    const ofRun = openCalls.get(this.#runId) ?? new Set();
    openCalls.set(this.#runId, ofRun.add(this));
  }

  /** Aborts when the server has ended the call. The attempt learns that only when it asks the server after a hint. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  ask(): void {
    const isAsking = this.#asked < pausesMs.length;
    this.#asked = 0;
    if (!isAsking) void this.#ask();
  }

  /** Ends the attempt. The SDK does not know that it is cancelled, and would report a failure. Call it after `signal` has aborted. */
  async leave(): Promise<never> {
    const { client, info } = this.#context;
    if (this.#isAwaited)
      await client
        .withDeadline(Date.now() + timeouts.serverCheck, () =>
          client.activity.reportCancellation(info.taskToken),
        )
        .catch(() => undefined);
    throw new CompleteAsyncError();
  }

  close(): void {
    this.#isClosed = true;
    const ofRun = openCalls.get(this.#runId);
    ofRun?.delete(this);
    if (ofRun?.size === 0) openCalls.delete(this.#runId);
  }

  get #runId(): string {
    return this.#context.info.workflowExecution?.runId ?? '';
  }

  async #ask(): Promise<void> {
    while (this.#asked < pausesMs.length) {
      const pauseMs = pausesMs[this.#asked];
      this.#asked += 1;
      await sleep(pauseMs, undefined, { ref: false });
      if (this.#isClosed) return;
      await this.#askOnce();
    }
  }

  async #askOnce(): Promise<void> {
    try {
      await this.#tell();
    } catch (error) {
      const { name } = error as Error;
      this.#isAwaited = name === 'ActivityCancelledError';
      if (this.#isAwaited || name === 'ActivityNotFoundError')
        this.#ended.abort(new CancelledFailure(this.#isAwaited ? 'CANCELLED' : 'NOT_FOUND'));
    }
  }
}

/** Whether the server takes the result of an attempt that has to end for this reason, in the words of the SDK. */
export function mayComplete(reason: unknown): boolean {
  return (
    !(reason instanceof Error) || !['NOT_FOUND', 'TIMED_OUT', 'RESET'].includes(reason.message)
  );
}

/** Whether the run asked the attempt to end. */
export function isAskedByRun(reason: unknown): boolean {
  return reason instanceof CancelledFailure && reason.message === 'CANCELLED';
}
