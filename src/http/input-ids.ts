import { emptyDigest, extendDigest } from '../base/digest';

/** The id under which lists show an input of a run in a tree. The run itself, and its log, know it without the suffix. */
export function listedInputId(workflowId: string, ownId: string): string {
  return `${ownId}@${extendDigest(emptyDigest, workflowId)}`;
}

/** The turn and index of the call in the id of its input: `3.1` of `a3.1-2`. */
export function placeIn(inputId: string): string {
  return /\d+\.\d+/.exec(inputId)?.[0] ?? inputId;
}
