import { askAboutCalls, publish } from '../activities';
import type { Deltas } from '../stores/index';
import { cancelHint, hintRoot } from '../protocol';

/** Passes a hint of this worker's workflows on: to its own calls, and to the other processes if there are deltas to carry it. */
export function passHint(runId: string, deltas: Deltas | undefined): void {
  askAboutCalls(runId);
  publish(deltas, () => cancelHint(runId));
}

/** Takes the hints of other processes. Returns a function that ends it. */
export function hearHints(deltas?: Deltas): () => void {
  return (
    deltas?.subscribe(hintRoot, ({ workflowId: runId }) => askAboutCalls(runId)) ??
    (() => undefined)
  );
}
