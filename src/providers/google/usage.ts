import type { GenerateContentResponseUsageMetadata } from '@google/genai';
import type { Usage } from '../../protocol/message';
import { sumOfCounts, tokenCount } from '../token-count';

/** Tokens of thoughts are counted beside the candidates', those of cached content inside the prompt's. */
export function fromUsageMetadata(usage: GenerateContentResponseUsageMetadata | undefined): Usage {
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount } = usage ?? {};
  const inputTokens = sumOfCounts(promptTokenCount, toolUsePromptTokenCount);
  const outputTokens = sumOfCounts(candidatesTokenCount, usage?.thoughtsTokenCount);
  return {
    inputTokens,
    outputTokens,
    totalTokens: tokenCount(usage?.totalTokenCount) ?? sumOfCounts(inputTokens, outputTokens),
    cacheReadTokens: tokenCount(usage?.cachedContentTokenCount),
    cacheWriteTokens: null,
    reasoningTokens: tokenCount(usage?.thoughtsTokenCount),
  };
}
