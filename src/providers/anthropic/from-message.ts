import { ProviderError } from '../../protocol/errors';
import type { AssistantPart, Origin } from '../../protocol/message';
import type { ModelResponse } from '../provider';
import { fromStopReason } from './finish-reason';
import { fromMessagesContent } from './from-messages-content';
import type { StreamedMessage } from './message-accumulator';
import { fromMessagesUsage } from './usage';

/** A whole message in neutral terms. A refusal's explanation stands beside the content; it becomes a part of its own. */
export function fromMessage(
  message: StreamedMessage,
  origin: Origin,
  requestId: string | null | undefined,
): ModelResponse {
  const content = fromMessagesContent(message.content, origin);
  if (message.stopReason === 'model_context_window_exceeded' && content.length === 0) {
    throw new ProviderError(
      'context_length',
      `${origin.provider}/${origin.model}: the conversation fills the model's context window`,
      { provider: origin.provider },
    );
  }
  const ids = {
    ...(message.id === undefined ? {} : { message: message.id }),
    ...(!requestId ? {} : { request: requestId }),
  };
  return {
    content: [...content, ...refusal(message)],
    usage: fromMessagesUsage(message.usage),
    finishReason: fromStopReason(message.stopReason, content),
    origin,
    ...(Object.keys(ids).length === 0 ? {} : { ids }),
  };
}

function refusal({ stopReason, explanation }: StreamedMessage): AssistantPart[] {
  if (stopReason !== 'refusal') return [];
  return [{ type: 'refusal', text: explanation ?? 'no reason was given' }];
}
