import type {
  GenerateContentResponse,
  GenerateContentResponsePromptFeedback,
  GenerateContentResponseUsageMetadata,
} from '@google/genai';
import { isJsonObject, type JsonObject } from '../../base/json';
import type { CallOptions, ModelDelta } from '../provider';
import type { StreamReader } from '../read-stream';
import { madeUpId } from './call-ids';
import { asText, callIdOf } from './from-generate-parts';

export type StreamedResponse = {
  readonly id: string | undefined;
  readonly parts: readonly JsonObject[];
  readonly finishReason: string | undefined;
  readonly promptFeedback: GenerateContentResponsePromptFeedback | undefined;
  readonly usage: GenerateContentResponseUsageMetadata | undefined;
};

/**
 * Puts a stream's chunks together to one response. Only pieces of plain text are joined, with plain text right before them:
 * a part that carries anything else, a signature above all, stays as it came.
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

  /** False until the model said why it stopped: a stream may be cut without any error. */
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
