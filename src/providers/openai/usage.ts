import type { Usage } from '../../protocol/message';
import { tokenCount as count } from '../token-count';

/** What either API, or a compatible server that leaves out what it does not count, says about tokens. */
export type WireUsage = {
  readonly input_tokens?: unknown;
  readonly prompt_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly total_tokens?: unknown;
  readonly input_tokens_details?: object | null;
  readonly prompt_tokens_details?: object | null;
  readonly output_tokens_details?: object | null;
  readonly completion_tokens_details?: object | null;
};

export const noUsage: Usage = {
  inputTokens: null,
  outputTokens: null,
  totalTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

/** Both APIs count alike under different names: cached tokens are part of the input, reasoning of the output. */
export function fromOpenAiUsage(usage: WireUsage | null | undefined): Usage {
  if (usage === null || usage === undefined) return noUsage;
  const inputDetails = details(usage.input_tokens_details ?? usage.prompt_tokens_details);
  const outputDetails = details(usage.output_tokens_details ?? usage.completion_tokens_details);
  const inputTokens = count(usage.input_tokens ?? usage.prompt_tokens);
  const outputTokens = count(usage.output_tokens ?? usage.completion_tokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: count(usage.total_tokens) ?? sum(inputTokens, outputTokens),
    cacheReadTokens: count(inputDetails['cached_tokens']),
    cacheWriteTokens: count(inputDetails['cache_write_tokens']),
    reasoningTokens: count(outputDetails['reasoning_tokens']),
  };
}

function details(value: object | null | undefined): Readonly<Record<string, unknown>> {
  return { ...value };
}

function sum(input: number | null, output: number | null): number | null {
  return input === null || output === null ? null : input + output;
}
