import type {
  Response,
  ResponseFunctionToolCall,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { isJsonObject } from '../../../base';
import { providerErrorFromBody, type CallTarget } from '../../errors';
import type { ModelDelta } from '../../provider';
import type { StreamReader } from '../../attempt';

export type FinishedResponse = {
  readonly response: Partial<Response>;
  readonly output: readonly unknown[];
};

type StreamedFunctionCall = { readonly item: ResponseFunctionToolCall; argumentsText: string };

/** Gathers the items of a streamed response and passes its deltas on. */
export class ResponsesStream implements StreamReader<ResponseStreamEvent> {
  readonly #onDelta: (delta: ModelDelta) => void;
  readonly #target: CallTarget;
  readonly #items = new Map<number, unknown>();
  readonly #openCalls = new Map<number, StreamedFunctionCall>();
  readonly #callIndexes = new Map<number, number>();
  #id: string | undefined;
  #response: Response | undefined;

  constructor(target: CallTarget, onDelta: (delta: ModelDelta) => void) {
    this.#target = target;
    this.#onDelta = onDelta;
  }

  get isComplete(): boolean {
    return this.#response !== undefined;
  }

  /** Undefined until an event ends the response. A server that streams items may leave them out of the last event. */
  get finished(): FinishedResponse | undefined {
    const response = this.#response;
    if (response === undefined) return undefined;
    const listed: unknown = response.output;
    if (Array.isArray(listed) && listed.length > 0) return { response, output: listed };
    return { response, output: inOrder(this.#items) };
  }

  /** After a cut: whole items, and calls with the arguments so far. */
  get soFar(): FinishedResponse {
    if (this.finished !== undefined) return this.finished;
    const calls = [...this.#openCalls].map(([index, call]) => [index, closed(call)] as const);
    const response = this.#id === undefined ? {} : { id: this.#id };
    return { response, output: inOrder(new Map([...calls, ...this.#items])) };
  }

  accept(event: ResponseStreamEvent): void {
    if (!isJsonObject(event)) return;
    switch (event.type) {
      case 'response.created':
        this.#id = event.response.id;
        break;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#response = event.response;
        break;
      case 'response.output_item.done':
        this.#items.set(event.output_index, event.item);
        if (event.item.type === 'function_call') this.#endCall(event.output_index, event.item);
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
        this.#extendCall(event.output_index, event.delta);
        break;
      default:
    }
  }

  #startCall(outputIndex: number, item: ResponseFunctionToolCall): void {
    this.#openCalls.set(outputIndex, { item, argumentsText: '' });
    const { call_id: callId, name } = item;
    this.#onDelta({ kind: 'tool-call', index: this.#callIndex(outputIndex), callId, name });
  }

  #extendCall(outputIndex: number, args: string): void {
    const call = this.#openCalls.get(outputIndex);
    if (call !== undefined) call.argumentsText += args;
    this.#onDelta({ kind: 'tool-call', index: this.#callIndex(outputIndex), args });
  }

  /** Some servers send the whole call in this event only. */
  #endCall(outputIndex: number, item: ResponseFunctionToolCall): void {
    if (!this.#openCalls.has(outputIndex)) this.#startCall(outputIndex, item);
    const isShown = this.#openCalls.get(outputIndex)?.argumentsText !== '';
    const args = isShown || !item.arguments ? {} : { args: item.arguments };
    const index = this.#callIndex(outputIndex);
    this.#onDelta({ kind: 'tool-call', index, ...args, complete: true });
  }

  #callIndex(outputIndex: number): number {
    const known = this.#callIndexes.get(outputIndex);
    const index = known ?? this.#callIndexes.size;
    this.#callIndexes.set(outputIndex, index);
    return index;
  }
}

function inOrder(items: ReadonlyMap<number, unknown>): unknown[] {
  return [...items].sort(([left], [right]) => left - right).map(([, item]) => item);
}

/** The call as if it had ended here. */
function closed({ item, argumentsText }: StreamedFunctionCall): ResponseFunctionToolCall {
  return { ...item, arguments: argumentsText || '{}', status: 'completed' };
}
