import type { AssistantPart, FinishReason } from '../../protocol/message';

/** A cut turn says so even when it has calls; otherwise calls are found in the content, never in the provider's word. */
export function responsesFinishReason(
  status: string | undefined,
  incompleteReason: string | undefined,
  content: readonly AssistantPart[],
): FinishReason {
  if (status === 'incomplete') {
    if (incompleteReason === 'content_filter') return 'content_filter';
    return incompleteReason === undefined || incompleteReason === 'max_output_tokens'
      ? 'length'
      : 'other';
  }
  return finishOfContent(content) ?? 'stop';
}

export function chatFinishReason(reason: string, content: readonly AssistantPart[]): FinishReason {
  if (reason === 'length' || reason === 'max_tokens') return 'length';
  if (reason === 'content_filter') return 'content_filter';
  const found = finishOfContent(content);
  if (found !== undefined) return found;
  return ['stop', 'eos', 'end_turn', 'stop_sequence'].includes(reason) ? 'stop' : 'other';
}

function finishOfContent(content: readonly AssistantPart[]): FinishReason | undefined {
  if (content.some((part) => part.type === 'tool_call')) return 'tool_calls';
  return content.some((part) => part.type === 'refusal') ? 'refusal' : undefined;
}
