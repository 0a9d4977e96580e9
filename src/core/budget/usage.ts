import type { CompletionCall, Usage } from '../../protocol/message';

export const emptyUsage: Usage = {
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

const add = (left: number | null, right: number | null): number | null =>
  left === null ? right : right === null ? left : left + right;

/** Exactly the six fields. A value that is not a finite number counts as "not reported". */
export function toUsage(reported: Partial<Usage> | null | undefined): Usage {
  return {
    inputTokens: count(reported?.inputTokens),
    outputTokens: count(reported?.outputTokens),
    totalTokens: count(reported?.totalTokens),
    cacheReadTokens: count(reported?.cacheReadTokens),
    cacheWriteTokens: count(reported?.cacheWriteTokens),
    reasoningTokens: count(reported?.reasoningTokens),
  };
}

/** Adds field by field. null means "not reported", so null + n = n. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    inputTokens: add(left.inputTokens, right.inputTokens),
    outputTokens: add(left.outputTokens, right.outputTokens),
    totalTokens: add(left.totalTokens, right.totalTokens),
    cacheReadTokens: add(left.cacheReadTokens, right.cacheReadTokens),
    cacheWriteTokens: add(left.cacheWriteTokens, right.cacheWriteTokens),
    reasoningTokens: add(left.reasoningTokens, right.reasoningTokens),
  };
}

/** Subtracts field by field. A field that was not reported before counts whole. */
export function subtractUsage(left: Usage, right: Usage): Usage {
  const subtract = (field: keyof Usage): number | null => {
    const [from, less] = [left[field], right[field]];
    return from === null ? null : from - (less ?? 0);
  };
  return {
    inputTokens: subtract('inputTokens'),
    outputTokens: subtract('outputTokens'),
    totalTokens: subtract('totalTokens'),
    cacheReadTokens: subtract('cacheReadTokens'),
    cacheWriteTokens: subtract('cacheWriteTokens'),
    reasoningTokens: subtract('reasoningTokens'),
  };
}

export function sumUsage(calls: readonly CompletionCall[]): Usage {
  return calls.reduce((sum, call) => addUsage(sum, call.usage), emptyUsage);
}
