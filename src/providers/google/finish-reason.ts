import type { AssistantPart, FinishReason } from '../../protocol/message';

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

/** The API says STOP for a turn with calls too, so calls are found in the content. A cut turn says so even when it has calls. */
export function fromFinishReason(
  finishReason: string,
  content: readonly AssistantPart[],
): FinishReason {
  const reason = reasons[finishReason] ?? 'other';
  const hasCalls = content.some((part) => part.type === 'tool_call');
  return hasCalls && (reason === 'stop' || reason === 'other') ? 'tool_calls' : reason;
}

/** The model wrote something that is neither text nor a call; another attempt usually does better. */
export function isMalformed(finishReason: string): boolean {
  return ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE'].includes(
    finishReason,
  );
}
