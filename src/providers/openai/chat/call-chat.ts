import type { CallOptions, ModelRequest, ModelResponse } from '../../provider';
import { callCount } from '../../wire';
import {
  type CallContext,
  chatFinishReason,
  fromOpenAiUsage,
  idsField,
  streamedCall,
} from '../call';
import { chatApi } from '../endpoint';
import { ChatStream, fromChatMessage } from './chat-stream';
import { toChatRequest } from './to-chat-request';

export async function callChat(
  context: CallContext,
  request: ModelRequest,
  options: CallOptions,
): Promise<ModelResponse> {
  const { client, endpoint, target, extra } = context;
  const body = toChatRequest(request, endpoint, extra);
  const { finished, requestId } = await streamedCall(context, options, {
    send: (own) => client.chat.completions.create(body, own),
    read: (onDelta) => new ChatStream(onDelta),
    ending: 'a finish reason',
  });
  const origin = { provider: target.provider, api: chatApi, model: request.model };
  const content = fromChatMessage(finished.message, origin, callCount(request.messages));
  return {
    content,
    usage: fromOpenAiUsage(finished.usage),
    finishReason: chatFinishReason(finished.finishReason, content),
    origin,
    ...idsField(finished.id, requestId),
  };
}
