// Workflow ids of children: derived from what started them, so that a replay finds the same and a workflow reset makes new ones. Pure.

import { emptyDigest, extendDigest } from '../core/digest';

const longest = 200;
const shortHash = 8;

export type ChildPlace = {
  readonly workflowId: string;
  readonly executionRunId: string;
  /** The step or tool, the turn and the index of the call. */
  readonly place: string;
};

export function childId({ workflowId, executionRunId, place }: ChildPlace): string {
  const id = `${workflowId}.${place}~${hashOf(executionRunId)}`;
  if (id.length <= longest) return id;
  const hash = extendDigest(emptyDigest, id);
  return `${id.slice(0, longest - hash.length - 1)}~${hash}`;
}

/** Eight characters that tell apart what one run has few of: executions, children. */
export function hashOf(text: string): string {
  return extendDigest(emptyDigest, text).slice(0, shortHash);
}
