import type { CompletionCall, Usage } from '../../protocol/message';

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

/** Field by field; what was not reported before and is now counts whole. */
export function subtractUsage(left: Usage, right: Usage): Usage {
  const subtract = (field: keyof Usage): number | null => {
    const [from, less] = [left[field], right[field]];
    return from === null ? null : from - (less ?? 0);
  };
  return {
    input: subtract('input'),
    output: subtract('output'),
    total: subtract('total'),
    cacheRead: subtract('cacheRead'),
    cacheWrite: subtract('cacheWrite'),
    reasoning: subtract('reasoning'),
  };
}

export function sumUsage(calls: readonly CompletionCall[]): Usage {
  return calls.reduce((sum, call) => addUsage(sum, call.usage), emptyUsage);
}
