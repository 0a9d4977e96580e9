// Waiting for a person: beside the wait runs a timer whose summary is the question, so that the Web UI's timeline shows it, with or
// without a deadline.

import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { plainLine } from '../../core/transcript/markdown';
import { limits } from '../../protocol/limits';
import type { PendingInput } from '../../protocol/run';

/** Long enough to be none; when it passes all the same, the wait starts again. */
const noDeadline = 10 * 365 * 24 * 60 * 60 * 1_000;

export type InputWait = {
  readonly pending: readonly PendingInput[];
  /** Counted from when an input was asked; undefined waits for ever. */
  readonly timeoutMs: number | undefined;
  readonly answered: () => boolean;
};

/** Waits for an answer; gives the input whose time ran out, if one did. */
export async function waitForAnswer(wait: InputWait): Promise<PendingInput | undefined> {
  const { timeoutMs = noDeadline, answered } = wait;
  const oldest = [...wait.pending].sort((left, right) => left.since.localeCompare(right.since))[0];
  if (oldest === undefined) {
    await condition(answered);
    return undefined;
  }
  const deadline = Date.parse(oldest.since) + timeoutMs;
  const timer = new CancellationScope();
  const expiry = timer
    .run(() =>
      sleep(Math.max(1, deadline - Date.now()), {
        summary: plainLine(oldest.question, limits.summary),
      }),
    )
    .then(() => (wait.timeoutMs === undefined ? undefined : oldest));
  expiry.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  try {
    return await Promise.race([expiry, condition(answered).then(() => undefined)]);
  } finally {
    timer.cancel();
  }
}
