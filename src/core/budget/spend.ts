import { defined } from '../../base';
import type { Usage } from '../../protocol/message';
import type { RunSpend } from '../../protocol/run';
import { subtractUsage } from './usage';

/** The provider's total. Without one, input plus output, as far as they are known. */
export function tokensIn({ totalTokens, inputTokens, outputTokens }: Usage): number {
  return totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0);
}

export function tokensOf({ tokens, usage }: RunSpend): number {
  return tokens ?? tokensIn(usage);
}

/** True if there is anything to report. */
export function isSpent({ usage, unpriced = [] }: RunSpend): boolean {
  return unpriced.length > 0 || Object.values(usage).some((tokens) => tokens !== null);
}

/** The spending between two reports of a run. */
export function spendSince(before: RunSpend, after: RunSpend): RunSpend {
  const usage = subtractUsage(after.usage, before.usage);
  const tokens = tokensOf(after) - tokensOf(before);
  return {
    usage,
    ...(tokens !== tokensIn(usage) && { tokens }),
    ...(after.costUsd !== undefined && { costUsd: after.costUsd - (before.costUsd ?? 0) }),
    ...defined({ unpriced: after.unpriced }),
    added: difference(before.added, after.added),
  };
}

function difference(before: RunSpend['added'] = {}, after: RunSpend['added'] = {}) {
  return {
    tokens: (after.tokens ?? 0) - (before.tokens ?? 0),
    costUsd: (after.costUsd ?? 0) - (before.costUsd ?? 0),
  };
}
