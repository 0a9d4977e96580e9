import type { CompletionCall, Usage } from '../protocol/message';

export const emptyUsage: Usage = {
  input: null,
  output: null,
  total: null,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
};

const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

const add = (left: number | null, right: number | null): number | null =>
  left === null ? right : right === null ? left : left + right;

/** Exactly the six fields; whatever is not a finite number is "not reported". */
export function toUsage(reported: Partial<Usage> | null | undefined): Usage {
  return {
    input: count(reported?.input),
    output: count(reported?.output),
    total: count(reported?.total),
    cacheRead: count(reported?.cacheRead),
    cacheWrite: count(reported?.cacheWrite),
    reasoning: count(reported?.reasoning),
  };
}

/** Field by field; null is "not reported", so null + n = n. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    input: add(left.input, right.input),
    output: add(left.output, right.output),
    total: add(left.total, right.total),
    cacheRead: add(left.cacheRead, right.cacheRead),
    cacheWrite: add(left.cacheWrite, right.cacheWrite),
    reasoning: add(left.reasoning, right.reasoning),
  };
}

export function sumUsage(calls: readonly CompletionCall[]): Usage {
  return calls.reduce((sum, call) => addUsage(sum, call.usage), emptyUsage);
}
