// Workflow ids of children, made of what started them. Pure.

import { emptyDigest, extendDigest } from '../core/digest';

const longest = 200;
const shortHash = 8;

export type ChildPlace = {
  readonly workflowId: string;
  /** Tells the child apart from one that an earlier execution of the caller started at the same place. */
  readonly tag: string;
  /** The step or tool, the turn and the index of the call. */
  readonly place: string;
};

export function childId({ workflowId, tag, place }: ChildPlace): string {
  const id = `${workflowId}.${place}~${tag.slice(0, shortHash)}`;
  if (id.length <= longest) return id;
  const hash = extendDigest(emptyDigest, id);
  return `${id.slice(0, longest - hash.length - 1)}~${hash}`;
}

/** Eight characters that tell apart what one run has few of. */
export function hashOf(text: string): string {
  return extendDigest(emptyDigest, text).slice(0, shortHash);
}
