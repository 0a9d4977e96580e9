// A public type in a file of its own: next to the activities it would need the types of optional packages.

import type { ModelDelta } from '../providers/provider';

/**
 * One streamed delta of a model call. A retried attempt starts over at `seq` 0 with a higher `attempt`: then drop the deltas of the earlier
 * attempt.
 */
export type DeltaEvent = {
  readonly workflowId: string;
  readonly turn: number;
  readonly attempt: number;
  readonly seq: number;
  readonly delta: ModelDelta;
};
