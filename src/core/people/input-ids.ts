// The ids of open inputs. A run knows its own inputs by short ids. A list of inputs of a tree of runs adds a suffix to each, so that the
// ids differ.

import { hashOf } from '../../base';

export function inputIdSuffix(workflowId: string): string {
  return `@${hashOf(workflowId)}`;
}

/** The id under which lists show an input of a run in a tree. */
export function listedInputId(workflowId: string, ownId: string): string {
  return `${ownId}${inputIdSuffix(workflowId)}`;
}

/** The turn and index of the call in the id of its input: `3.1` of `a3.1-2`. */
export function placeIn(inputId: string): string {
  return /^[a-z](\d+\.\d+)/.exec(inputId)?.[1] ?? inputId;
}
