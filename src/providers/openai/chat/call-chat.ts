import type { CallOptions, ModelRequest, ModelResponse } from '../../provider';
import { singleAttempt } from '../../attempt';
import { badResponse } from '../../errors';
import { readStream } from '../../read-stream';
import { chatApi } from '../api';
import { callCount, idsField, type CallContext } from '../call-context';
import { ChatStream } from './chat-stream';
import { chatFinishReason } from '../finish-reason';
import { fromChatMessage } from './from-chat-message';
import { fromOpenAiError } from '../openai-error';
import { toChatRequest } from './to-chat-request';
import { fromOpenAiUsage } from '../usage';
import { reportingTo } from '../wire-activity';

export async function callChat(
  { client, endpoint, target, extra }: CallContext,
  request: ModelRequest,
  options: CallOptions,
): Promise<ModelResponse> {
  const body = toChatRequest(request, endpoint, extra);
  const attempt = async ({ signal, onDelta, onActivity }: CallOptions, wasCut: () => boolean) => {
    const fetchOptions = reportingTo(onActivity);
    const sent = client.chat.completions.create(body, { signal, fetchOptions });
    const { data, request_id: requestId } = await sent.withResponse();
    const stream = new ChatStream(onDelta);
    await readStream(data, stream, { wasCut });
    const finished = wasCut() ? stream.soFar : stream.finished;
    if (finished === undefined) {
      throw badResponse(target, 'the stream ended without a finish reason');
    }
    return { ...finished, requestId };
  };
  const finished = await singleAttempt(options, attempt, (error) => fromOpenAiError(error, target));
  const origin = { provider: target.provider, api: chatApi, model: request.model };
  const content = fromChatMessage(finished.message, origin, callCount(request.messages));
  return {
    content,
    usage: fromOpenAiUsage(finished.usage),
    finishReason: chatFinishReason(finished.finishReason, content),
    origin,
    ...idsField(finished.id, finished.requestId),
  };
}
