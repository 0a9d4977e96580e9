import type { Response } from 'openai/resources/responses/responses';
import type { Origin } from '../../../protocol';
import { badResponse, providerErrorFromBody, type CallTarget } from '../../errors';
import type { CallOptions, ModelRequest, ModelResponse } from '../../provider';
import { responsesApi } from '../endpoint';
import {
  type CallContext,
  fromOpenAiUsage,
  idsField,
  responsesFinishReason,
  streamedCall,
} from '../call';
import { callCount } from '../../wire';
import { fromResponsesOutput } from './items';
import { ResponsesStream, type FinishedResponse } from './responses-stream';
import { toResponsesRequest } from './to-responses-request';

export async function callResponses(
  context: CallContext,
  request: ModelRequest,
  options: CallOptions,
): Promise<ModelResponse> {
  const { client, target, extra } = context;
  const body = toResponsesRequest(request, extra);
  const { finished, requestId } = await streamedCall(context, options, {
    send: (own) => client.responses.create(body, own),
    read: (onDelta) => new ResponsesStream(target, onDelta),
    ending: 'its final event',
  });
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

/** A failure arrives as a successful HTTP response. It becomes an error. */
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
