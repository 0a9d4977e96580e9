import type { Origin } from '../../protocol/message';
import { badResponse, type CallTarget } from '../errors';
import type { ModelResponse } from '../provider';
import { fromFinishReason, isMalformed } from './finish-reason';
import { fromGenerateParts } from './from-generate-parts';
import { googleApi } from './parts';
import type { StreamedResponse } from './response-accumulator';
import { fromUsageMetadata } from './usage';

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
  const told = {
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
    return { content: [{ type: 'refusal', text }], finishReason: 'content_filter', ...told };
  }
  if (finishReason !== undefined && isMalformed(finishReason)) {
    throw badResponse(target, `the model ended its turn with ${finishReason}`);
  }
  const content = fromGenerateParts(response.parts, origin, firstCall);
  return { content, finishReason: fromFinishReason(finishReason ?? 'CUT', content), ...told };
}
