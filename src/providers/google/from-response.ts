import type { AssistantPart, FinishReason, Origin, Usage } from '../../protocol';
import { badResponse, type CallTarget } from '../errors';
import type { CallOptions, ModelDelta, ModelResponse } from '../provider';
import { callIdOf, fromGenerateParts, googleApi, madeUpId } from './parts';
import type {
  GenerateContentResponse,
  GenerateContentResponsePromptFeedback,
  GenerateContentResponseUsageMetadata,
} from '@google/genai';
import { asText, sumOfCounts, tokenCount } from '../wire';
import { isJsonObject, type JsonObject } from '../../base';
import type { StreamReader } from '../attempt';

const reasons: Readonly<Record<string, FinishReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  // This is also a limit on the length of one response.
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

/** Converts a whole response. A blocked prompt has no candidate, only feedback with the reason. */
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

/** The API counts tokens of thoughts beside those of the candidates. It counts cached tokens as part of the prompt. */
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

/**
 * The API returns STOP even for a turn with calls, so this looks for calls in the content. A cut turn keeps its reason even if it has
 * calls.
 */
function fromFinishReason(finishReason: string, content: readonly AssistantPart[]): FinishReason {
  const reason = reasons[finishReason] ?? 'other';
  const hasCalls = content.some((part) => part.type === 'tool_call');
  return hasCalls && (reason === 'stop' || reason === 'other') ? 'tool_calls' : reason;
}

/** The model wrote neither text nor a call. Another attempt usually succeeds. */
function isMalformed(finishReason: string): boolean {
  return ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE'].includes(
    finishReason,
  );
}

type StreamedResponse = {
  readonly id: string | undefined;
  readonly parts: readonly JsonObject[];
  readonly finishReason: string | undefined;
  readonly promptFeedback: GenerateContentResponsePromptFeedback | undefined;
  readonly usage: GenerateContentResponseUsageMetadata | undefined;
};

/**
 * Joins a stream's chunks into one response. Joins only adjacent pieces of plain text. A part with anything else, such as a signature,
 * stays as it came.
 */
export class ResponseAccumulator implements StreamReader<GenerateContentResponse> {
  readonly #onDelta: CallOptions['onDelta'];
  readonly #firstCall: number;
  readonly #parts: JsonObject[] = [];
  #calls = 0;
  #id: string | undefined;
  #finishReason: string | undefined;
  #promptFeedback: GenerateContentResponsePromptFeedback | undefined;
  #usage: GenerateContentResponseUsageMetadata | undefined;

  constructor(onDelta: CallOptions['onDelta'], firstCall: number) {
    this.#onDelta = onDelta;
    this.#firstCall = firstCall;
  }

  /** False until the stream has a finish reason: a stream may be cut without any error. */
  get isComplete(): boolean {
    return this.#finishReason !== undefined || this.#promptFeedback?.blockReason !== undefined;
  }

  accept(chunk: GenerateContentResponse): void {
    const candidate = chunk.candidates?.[0];
    for (const part of candidate?.content?.parts ?? []) this.#add(part as unknown as JsonObject);
    this.#id ??= chunk.responseId;
    this.#finishReason = candidate?.finishReason ?? this.#finishReason;
    this.#promptFeedback = chunk.promptFeedback ?? this.#promptFeedback;
    this.#usage = chunk.usageMetadata ?? this.#usage;
  }

  response(): StreamedResponse {
    return {
      id: this.#id,
      parts: this.#parts,
      finishReason: this.#finishReason,
      promptFeedback: this.#promptFeedback,
      usage: this.#usage,
    };
  }

  #add(part: JsonObject): void {
    const delta = this.#deltaOf(part);
    const last = this.#parts.at(-1);
    const text = plainText(part);
    const before = last === undefined ? undefined : plainText(last);
    if (text === undefined || before === undefined || last?.['thought'] !== part['thought']) {
      this.#parts.push(part);
    } else {
      this.#parts[this.#parts.length - 1] = { ...last, text: before + text };
    }
    if (delta !== undefined) this.#onDelta(delta);
  }

  #deltaOf(part: JsonObject): ModelDelta | undefined {
    const { functionCall, text, thought } = part;
    if (isJsonObject(functionCall)) {
      const index = this.#calls++;
      return {
        kind: 'tool-call',
        index,
        callId: callIdOf(functionCall, () => madeUpId(this.#firstCall + index)),
        name: asText(functionCall['name']),
        args: JSON.stringify(functionCall['args'] ?? {}),
        complete: true,
      };
    }
    if (typeof text !== 'string' || text === '') return undefined;
    return { kind: thought === true ? 'reasoning' : 'text', text };
  }
}

function plainText(part: JsonObject): string | undefined {
  const { text, thought: _thought, ...others } = part;
  return typeof text === 'string' && Object.keys(others).length === 0 ? text : undefined;
}
