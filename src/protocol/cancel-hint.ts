// A hint that calls of an execution may be cancelled. It goes from the worker that drives the run to the processes that make its calls. The
// hint proves nothing: a process that gets it asks the server.

import type { LiveEvent } from './live';

/** The hints that a workflow gives its worker, outside of history. */
export type HintSinks = {
  readonly longhaul: {
    readonly callsCancelled: () => void;
    /** The workflow task fails: a newer version has gone on with the run. */
    readonly newerVersion: (message: string) => void;
  };
};

/** The id under which hints travel. All workers listen to it, as to a run that never ends. */
export const hintRoot = 'longhaul.cancelled';

/** `runId` names the execution with the calls. */
export function cancelHint(runId: string): LiveEvent {
  return { kind: 'moved', root: hintRoot, workflowId: runId, path: '', agent: '' };
}
