import type { GenerateContentResponseUsageMetadata } from '@google/genai';
import type { Usage } from '../../protocol/message';

/** Tokens of thoughts are counted beside the candidates', those of cached content inside the prompt's. */
export function fromUsageMetadata(usage: GenerateContentResponseUsageMetadata | undefined): Usage {
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount } = usage ?? {};
  const input = sum(promptTokenCount, toolUsePromptTokenCount);
  const output = sum(candidatesTokenCount, usage?.thoughtsTokenCount);
  return {
    input,
    output,
    total: usage?.totalTokenCount ?? sum(input, output),
    cacheRead: usage?.cachedContentTokenCount ?? null,
    cacheWrite: null,
    reasoning: usage?.thoughtsTokenCount ?? null,
  };
}

function sum(...counts: readonly (number | null | undefined)[]): number | null {
  const known = counts.filter((count) => typeof count === 'number');
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}
