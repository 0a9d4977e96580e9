import type { AssistantPart, FinishReason, Origin, Usage } from '../../protocol/message';
import { badResponse, type CallTarget } from '../errors';
import type { ModelResponse } from '../provider';
import { fromGenerateParts } from './from-generate-parts';
import { googleApi } from './parts';
import type { StreamedResponse } from './response-accumulator';
import type { GenerateContentResponseUsageMetadata } from '@google/genai';
import { sumOfCounts, tokenCount } from '../token-count';

const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  // Also a limit on the length of one response.
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
};

type ResponseContext = {
  readonly target: CallTarget & { readonly model: string };
  readonly firstCall: number;
  readonly wasCut?: boolean;
};

/** A whole response in neutral terms. A blocked prompt has no candidate, only feedback that says why. */
export function fromResponse(
  response: StreamedResponse,
  { target, firstCall, wasCut = false }: ResponseContext,
): ModelResponse {
  const { finishReason, promptFeedback } = response;
  const origin: Origin = { provider: target.provider, api: googleApi, model: target.model };
  const common = {
    usage: fromUsageMetadata(response.usage),
    origin,
    ...(response.id === undefined ? {} : { ids: { response: response.id } }),
  };
  if (finishReason === undefined && !wasCut) {
    const { blockReason, blockReasonMessage } = promptFeedback ?? {};
    if (blockReason === undefined) {
      throw badResponse(target, 'the stream ended without a finish reason');
    }
    const text = blockReasonMessage ?? `The prompt was blocked: ${blockReason}.`;
    return { content: [{ type: 'refusal', text }], finishReason: 'content_filter', ...common };
  }
  if (finishReason !== undefined && isMalformed(finishReason)) {
    throw badResponse(target, `the model ended its turn with ${finishReason}`);
  }
  const content = fromGenerateParts(response.parts, origin, firstCall);
  return { content, finishReason: fromFinishReason(finishReason ?? 'CUT', content), ...common };
}

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

/** The API says STOP for a turn with calls too, so calls are found in the content. A cut turn says so even when it has calls. */
function fromFinishReason(finishReason: string, content: readonly AssistantPart[]): FinishReason {
  const reason = reasons[finishReason] ?? 'other';
  const hasCalls = content.some((part) => part.type === 'tool_call');
  return hasCalls && (reason === 'stop' || reason === 'other') ? 'tool_calls' : reason;
}

/** The model wrote something that is neither text nor a call; another attempt usually does better. */
function isMalformed(finishReason: string): boolean {
  return ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE'].includes(
    finishReason,
  );
}
