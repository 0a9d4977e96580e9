import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { isJsonObject } from '../../protocol/json';
import { providerErrorFromBody, type CallTarget } from '../errors';
import type { ModelDelta } from '../provider';
import type { StreamReader } from '../read-stream';

export type FinishedResponse = { readonly response: Response; readonly output: readonly unknown[] };

/** Gathers the items of a streamed response and passes its deltas on. */
export class ResponsesStream implements StreamReader<ResponseStreamEvent> {
  readonly #onDelta: (delta: ModelDelta) => void;
  readonly #target: CallTarget;
  readonly #items = new Map<number, unknown>();
  readonly #callIndexes = new Map<number, number>();
  #response: Response | undefined;

  constructor(target: CallTarget, onDelta: (delta: ModelDelta) => void) {
    this.#target = target;
    this.#onDelta = onDelta;
  }

  get isComplete(): boolean {
    return this.#response !== undefined;
  }

  /** Undefined while no event has ended the response. Servers that stream items may leave them out of the last event. */
  get finished(): FinishedResponse | undefined {
    const response = this.#response;
    if (response === undefined) return undefined;
    const listed: unknown = response.output;
    if (Array.isArray(listed) && listed.length > 0) return { response, output: listed };
    const indexes = [...this.#items.keys()].sort((left, right) => left - right);
    return { response, output: indexes.map((index) => this.#items.get(index)) };
  }

  accept(event: ResponseStreamEvent): void {
    if (!isJsonObject(event)) return;
    switch (event.type) {
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#response = event.response;
        break;
      case 'response.output_item.done':
        this.#items.set(event.output_index, event.item);
        break;
      case 'error':
        throw providerErrorFromBody(this.#target, { message: event.message, code: event.code });
      default:
        this.#passOn(event);
    }
  }

  #passOn(event: ResponseStreamEvent): void {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#onDelta({ kind: 'text', text: event.delta });
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#onDelta({ kind: 'reasoning', text: event.delta });
        break;
      case 'response.reasoning_summary_part.added':
        if (event.summary_index > 0) this.#onDelta({ kind: 'reasoning', text: '\n\n' });
        break;
      case 'response.output_item.added':
        if (event.item.type === 'function_call') this.#startCall(event.output_index, event.item);
        break;
      case 'response.function_call_arguments.delta':
        this.#onDelta({
          kind: 'tool-call',
          index: this.#callIndex(event.output_index),
          args: event.delta,
        });
        break;
      default:
    }
  }

  #startCall(
    outputIndex: number,
    { call_id: callId, name }: { call_id: string; name: string },
  ): void {
    this.#onDelta({ kind: 'tool-call', index: this.#callIndex(outputIndex), callId, name });
  }

  #callIndex(outputIndex: number): number {
    const known = this.#callIndexes.get(outputIndex);
    const index = known ?? this.#callIndexes.size;
    this.#callIndexes.set(outputIndex, index);
    return index;
  }
}
