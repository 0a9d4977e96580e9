import type { Response } from 'openai/resources/responses/responses';
import type { Origin } from '../../../protocol/message';
import { singleAttempt } from '../../attempt';
import { badResponse, providerErrorFromBody, type CallTarget } from '../../errors';
import type { CallOptions, ModelRequest, ModelResponse } from '../../provider';
import { readStream } from '../../read-stream';
import { responsesApi } from '../api';
import { callCount, idsField, type CallContext } from '../call-context';
import { responsesFinishReason } from '../finish-reason';
import { fromOpenAiError } from '../openai-error';
import { fromResponsesOutput } from './from-responses-output';
import { ResponsesStream, type FinishedResponse } from './responses-stream';
import { toResponsesRequest } from './to-responses-request';
import { fromOpenAiUsage } from '../usage';
import { reportingTo } from '../wire-activity';

export async function callResponses(
  { client, target, extra }: CallContext,
  request: ModelRequest,
  options: CallOptions,
): Promise<ModelResponse> {
  const body = toResponsesRequest(request, extra);
  const attempt = async ({ signal, onDelta, onActivity }: CallOptions, wasCut: () => boolean) => {
    const fetchOptions = reportingTo(onActivity);
    const sent = client.responses.create(body, { signal, fetchOptions });
    const { data, request_id: requestId } = await sent.withResponse();
    const stream = new ResponsesStream(target, onDelta);
    await readStream(data, stream, { wasCut });
    const finished = wasCut() ? stream.soFar : stream.finished;
    if (finished === undefined)
      throw badResponse(target, 'the stream ended without its final event');
    return { finished, requestId };
  };
  const { finished, requestId } = await singleAttempt(options, attempt, (error) =>
    fromOpenAiError(error, target),
  );
  const origin = { provider: target.provider, api: responsesApi, model: request.model };
  return toModelResponse(finished, {
    origin,
    target,
    requestId,
    firstCall: callCount(request.messages),
  });
}

type ResponseContext = {
  readonly origin: Origin;
  readonly target: CallTarget;
  readonly requestId: string | null;
  readonly firstCall: number;
};

/** A failure arrives as a successful HTTP response: it becomes the error it is. */
export function toModelResponse(
  { response, output }: FinishedResponse,
  { origin, target, requestId, firstCall }: ResponseContext,
): ModelResponse {
  const status = response.status ?? 'completed';
  if (status === 'failed') throw providerErrorFromBody(target, failureOf(response));
  if (status !== 'completed' && status !== 'incomplete') {
    throw badResponse(target, `the response ended with status ${status}`);
  }
  const content = fromResponsesOutput(output, origin, firstCall);
  return {
    content,
    usage: fromOpenAiUsage(response.usage),
    finishReason: responsesFinishReason(status, response.incomplete_details?.reason, content),
    origin,
    ...idsField(response.id, requestId),
  };
}

function failureOf({ error }: Partial<Response>): { message?: string; code?: string } {
  return error === null || error === undefined ? {} : { message: error.message, code: error.code };
}
