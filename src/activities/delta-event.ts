// A public type. It has a file of its own: the types of activities would bring those of optional packages with them.

import type { ModelDelta } from '../providers/provider';

/** One streamed delta of a model call. A retried attempt starts over at `seq` 0 with a higher `attempt`: drop what the earlier one sent. */
export type DeltaEvent = {
  readonly workflowId: string;
  readonly turn: number;
  readonly attempt: number;
  readonly seq: number;
  readonly delta: ModelDelta;
};
