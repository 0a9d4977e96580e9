// Workflow ids of children, made of what started them. Pure.

import { emptyDigest, extendDigest } from '../../base/digest';

const longest = 200;
const shortTag = 8;

export type ChildPlace = {
  readonly workflowId: string;
  /** Tells the child apart from one that an earlier execution of the caller started at the same place. */
  readonly tag: string;
  /** The step or tool, the turn and the index of the call. */
  readonly place: string;
};

export function childId({ workflowId, tag, place }: ChildPlace): string {
  const id = `${workflowId}.${place}~${tag.slice(0, shortTag)}`;
  if (id.length <= longest) return id;
  const hash = extendDigest(emptyDigest, id);
  return `${id.slice(0, longest - hash.length - 1)}~${hash}`;
}

/** Tells apart what one tree has thousands of: 64 bits. */
export function hashOf(text: string): string {
  return extendDigest(emptyDigest, text);
}
