// The error of a parallel none of whose branches completed: it names each, as far as there is room. Pure.

import { limits } from '../../protocol/limits';
import type { JsonObject } from '../../base/json';
import { oneLine } from '../../base/text';
import { fitItems, fitList } from './fit-list';
import type { ChildFailure, PlanOutcome } from './plan';

export type BranchFailure = {
  readonly branch: string;
  readonly runner: string;
  readonly code?: string;
  readonly message: string;
};

/** Of the message, and of the details. */
const room = limits.failureMessage - 100;
/** Of names, punctuation and keys around a branch's message. */
const roomAround = 180;
const leastMessage = 60;
/** The rest of a message's share is for what quotes and backslashes add in JSON. */
const plainShare = 0.8;

/** What is kept of a branch's failure: its message is cut to its share of what the error of all has room for. */
export function branchFailure(
  place: { readonly branch: string; readonly runner: string; readonly branches: number },
  { code, message }: ChildFailure,
): BranchFailure {
  const { branch, runner, branches } = place;
  const share = Math.max(leastMessage, Math.floor((room / branches) * plainShare) - roomAround);
  return {
    branch,
    runner,
    ...(code === undefined ? {} : { code }),
    message: oneLine(message, share),
  };
}

/** `failures` are those of all branches, in their order. */
export function allFailed(id: string, failures: readonly BranchFailure[]): PlanOutcome {
  const head = `No branch of '${id}' completed. `;
  const lines = failures.map(
    ({ branch, runner, code, message }) =>
      `${branch} (${runner}): ${code === undefined ? '' : `${code}: `}${message}`,
  );
  const listed = fitItems(failures, room, (failure) => `${JSON.stringify(failure)},`);
  return {
    kind: 'failed',
    code: 'ParallelFailed',
    message: head + fitList(lines, '; ', room - head.length),
    details: { branches: listed as unknown as JsonObject[] },
  };
}
