import type { Usage } from '../../protocol/message';
import { sumOfCounts, tokenCount } from '../token-count';

/** The usage fields that are read; compatible servers leave some out. */
export type MessagesUsage = {
  readonly input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null;
};

/** `input_tokens` leaves out what was read from and written to the cache; the neutral input includes both. */
export function fromMessagesUsage(usage: MessagesUsage): Usage {
  const cacheReadTokens = tokenCount(usage.cache_read_input_tokens);
  const cacheWriteTokens = tokenCount(usage.cache_creation_input_tokens);
  const inputTokens = sumOfCounts(usage.input_tokens, cacheReadTokens, cacheWriteTokens);
  const outputTokens = tokenCount(usage.output_tokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: sumOfCounts(inputTokens, outputTokens),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: tokenCount(usage.output_tokens_details?.thinking_tokens),
  };
}

/** Later counts are cumulative and replace earlier ones; counts an event leaves out stay. */
export function laterUsage(earlier: MessagesUsage, later: MessagesUsage): MessagesUsage {
  const said = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...(Object.fromEntries(said) as MessagesUsage) };
}
