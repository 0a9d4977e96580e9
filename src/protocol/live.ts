// The live events of a model call, which a worker sends while the model streams. Nothing here is in history: the log has the whole turn
// later.

/** A piece of the response while it streams. */
export type ModelDelta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /**
   * `index` counts the calls of the turn. `name` comes with the first delta of a call, `args` in pieces. `complete`: no more pieces of
   * this call follow. A provider that cannot know leaves it out.
   */
  | {
      readonly kind: 'tool-call';
      readonly index: number;
      readonly callId?: string;
      readonly name?: string;
      readonly args?: string;
      readonly complete?: true;
    };

/** The run of a model call. */
export type LivePlace = {
  /** The workflow id of the topmost run, or of the turn of a thread. */
  readonly root: string;
  readonly workflowId: string;
  /** The way from the root, such as `pipeline/research/branch-2`. */
  readonly path: string;
  readonly agent: string;
};

/** One attempt at the model call of a turn. A later one has a higher `calledAt`, or the same `calledAt` and a higher `attempt`. */
export type LiveAttempt = {
  readonly turn: number;
  /** When the run asked for the call: milliseconds since 1970. The run asks again for a call that it cut. */
  readonly calledAt: number;
  readonly attempt: number;
};

/** One streamed delta of a model call. A later attempt starts over at `seq` 0: then drop the deltas of the earlier attempt. */
export type DeltaEvent = LivePlace &
  LiveAttempt & {
    readonly seq: number;
    readonly delta: ModelDelta;
  };

/**
 * `begin`: an attempt at the model call of this turn begins. The events of earlier attempts are void. `moved`: the run has more to read, or
 * will have it in a moment.
 */
export type LiveEvent =
  | (LivePlace & LiveAttempt & { readonly kind: 'begin' })
  /** `count`: how many deltas it stands for, if a carrier merged some. The next one has the `seq` `seq + count`. Default 1. */
  | (DeltaEvent & { readonly kind: 'delta'; readonly count?: number })
  /** `ended`: the attempt at a model call that is over. */
  | (LivePlace & { readonly kind: 'moved'; readonly ended?: LiveAttempt });
