import type { GenerateContentResponseUsageMetadata } from '@google/genai';
import type { Usage } from '../../protocol/message';
import { sumOfCounts, tokenCount } from '../token-count';

/** Tokens of thoughts are counted beside the candidates', those of cached content inside the prompt's. */
export function fromUsageMetadata(usage: GenerateContentResponseUsageMetadata | undefined): Usage {
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount } = usage ?? {};
  const input = sumOfCounts(promptTokenCount, toolUsePromptTokenCount);
  const output = sumOfCounts(candidatesTokenCount, usage?.thoughtsTokenCount);
  return {
    input,
    output,
    total: tokenCount(usage?.totalTokenCount) ?? sumOfCounts(input, output),
    cacheRead: tokenCount(usage?.cachedContentTokenCount),
    cacheWrite: null,
    reasoning: tokenCount(usage?.thoughtsTokenCount),
  };
}
