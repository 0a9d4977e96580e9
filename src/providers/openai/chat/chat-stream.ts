import type { ChatCompletionChunk } from 'openai/resources/chat/completions/completions';
import { isJsonObject, type Json, type JsonObject } from '../../../base';
import type { ModelDelta } from '../../provider';
import type { StreamReader } from '../../attempt';
import type { WireUsage } from '../call';
import { parseToolArguments, seal, sealedField } from '../../wire';
import type { AssistantPart, Origin, ToolCallPart } from '../../../protocol';
import { argumentsSeal } from '../parts';

const reasoningFields = ['reasoning_content', 'reasoning'] as const;

export type FinishedChat = {
  readonly message: ChatMessage;
  /** Empty if the stream was cut before the reason came. */
  readonly finishReason: string;
  readonly usage: WireUsage | undefined;
  readonly id: string | undefined;
};

/** Joins the chunks of a streamed chat completion into one message, and passes its deltas on. */
export class ChatStream implements StreamReader<ChatCompletionChunk> {
  readonly #onDelta: (delta: ModelDelta) => void;
  readonly #calls: ChatToolCalls;
  readonly #fields = new Map<string, Json>();
  #content = '';
  #refusal = '';
  #finishReason: string | undefined;
  #usage: WireUsage | undefined;
  #id: string | undefined;

  constructor(onDelta: (delta: ModelDelta) => void) {
    this.#onDelta = onDelta;
    this.#calls = new ChatToolCalls(onDelta);
  }

  get isComplete(): boolean {
    return this.#finishReason !== undefined;
  }

  /** Undefined until a chunk has the finish reason. */
  get finished(): FinishedChat | undefined {
    return this.isComplete ? this.soFar : undefined;
  }

  get soFar(): FinishedChat {
    const message = {
      content: this.#content,
      refusal: this.#refusal,
      toolCalls: this.#calls.list,
      fields: Object.fromEntries(this.#fields),
    };
    const finishReason = this.#finishReason ?? '';
    return { message, finishReason, usage: this.#usage, id: this.#id };
  }

  /** Servers put the usage into an extra chunk, into the last chunk, or nowhere. */
  accept(chunk: ChatCompletionChunk): void {
    if (!isJsonObject(chunk)) return;
    if (typeof chunk.id === 'string' && chunk.id !== '') this.#id ??= chunk.id;
    if (isJsonObject(chunk.usage)) this.#usage = chunk.usage;
    const choices: unknown = chunk.choices;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (!isJsonObject(choice)) return;
    if (isJsonObject(choice['delta'])) this.#addDelta(choice['delta']);
    const finishReason = choice['finish_reason'];
    if (typeof finishReason !== 'string' || finishReason === '') return;
    this.#finishReason = finishReason;
    this.#calls.end();
  }

  #addDelta(delta: JsonObject): void {
    const { content, refusal, tool_calls: calls, role: _role, ...fields } = delta;
    this.#addFields(fields);
    this.#content += this.#passOn('text', textOf(content));
    if (typeof refusal === 'string') this.#refusal += this.#passOn('text', refusal);
    if (Array.isArray(calls)) for (const call of calls) this.#calls.add(call);
  }

  /** Some gateways send the same reasoning under two names. Shows only the first. */
  #addFields(fields: JsonObject): void {
    for (const [name, value] of Object.entries(fields)) this.#addField(name, value);
    const shown = reasoningFields.find((name) => this.#fields.has(name));
    const text = shown === undefined ? undefined : fields[shown];
    if (typeof text === 'string') this.#passOn('reasoning', text);
  }

  /** Texts and lists arrive in pieces. Servers send null or nothing for a field that they do not use. */
  #addField(name: string, value: Json): void {
    const current = this.#fields.get(name);
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return;
    if (typeof value === 'string' && typeof current === 'string') {
      this.#fields.set(name, current + value);
    } else if (Array.isArray(value) && Array.isArray(current)) {
      this.#fields.set(name, [...current, ...value]);
    } else {
      this.#fields.set(name, value);
    }
  }

  #passOn(kind: 'text' | 'reasoning', text: string): string {
    if (text !== '') this.#onDelta({ kind, text });
    return text;
  }
}

/** Some servers, Mistral's among them, send the content of a delta as a list of parts. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isTextPart(part) ? part.text : '')).join('');
}

function isTextPart(part: Json): part is { readonly type: 'text'; readonly text: string } {
  return isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}

type StreamedChatCall = {
  index: number;
  id: string;
  name: string;
  arguments: string;
  fields: JsonObject;
  isComplete: boolean;
};

/**
 * Joins the pieces of streamed calls. The API marks the pieces of a call with an `index`. Compatible servers leave it out, or give all
 * whole calls the same one. So a new id also starts a new call. A piece with neither index nor id starts one if it has a name and the call
 * before it is whole. The API does not mark the end of a call: a call is complete when another one begins after it is whole, or at the end.
 */
class ChatToolCalls {
  readonly #onDelta: (delta: ModelDelta) => void;
  readonly #calls: StreamedChatCall[] = [];
  readonly #latest = new Map<number, StreamedChatCall>();

  constructor(onDelta: (delta: ModelDelta) => void) {
    this.#onDelta = onDelta;
  }

  get list(): readonly ChatToolCall[] {
    return this.#calls.map(({ id, name, arguments: text, fields }) => ({
      id,
      name,
      arguments: text,
      fields,
    }));
  }

  add(piece: Json): void {
    if (!isJsonObject(piece)) return;
    const { index, id, type: _type, function: called, ...fields } = piece;
    const { name, arguments: given } = isJsonObject(called) ? called : {};
    const call = this.#callFor(index, typeof id === 'string' ? id : '', name);
    const isNew = call.name === '';
    if (typeof name === 'string' && isNew) call.name = name;
    const text = argumentsPiece(given);
    call.arguments += text;
    call.fields = { ...call.fields, ...fields };
    this.#onDelta({
      kind: 'tool-call',
      index: call.index,
      ...(isNew && call.id !== '' ? { callId: call.id } : {}),
      ...(isNew && call.name !== '' ? { name: call.name } : {}),
      ...(text === '' ? {} : { args: text }),
    });
  }

  /** No more pieces follow. */
  end(): void {
    this.#complete(() => true);
  }

  #complete(isDone: (call: StreamedChatCall) => boolean): void {
    for (const call of this.#calls) {
      if (call.isComplete || !isDone(call)) continue;
      call.isComplete = true;
      this.#onDelta({ kind: 'tool-call', index: call.index, complete: true });
    }
  }

  #callFor(givenIndex: Json | undefined, id: string, name: Json | undefined): StreamedChatCall {
    const last = this.#calls.at(-1);
    const isKeyed = typeof givenIndex === 'number';
    const key = isKeyed ? givenIndex : (last?.index ?? 0);
    const found = isKeyed ? this.#latest.get(key) : last;
    const goesOn = found !== undefined && (isKeyed || id !== '' || !startsAnother(found, name));
    if (goesOn && isIdOf(found, id)) {
      if (found.id === '') found.id = id;
      return found;
    }
    this.#complete((other) => isWhole(other.arguments));
    const index = this.#calls.length;
    const call = { index, id, name: '', arguments: '', fields: {}, isComplete: false };
    this.#calls.push(call);
    this.#latest.set(key, call);
    return call;
  }
}

function isIdOf(call: StreamedChatCall, id: string): boolean {
  return id === '' || call.id === '' || call.id === id;
}

/** For a piece with neither index nor id: true if it names a function and the call before it is whole. */
function startsAnother(last: StreamedChatCall, name: Json | undefined): boolean {
  return typeof name === 'string' && isWhole(last.arguments);
}

/** Without any text, the arguments may be yet to come. */
function isWhole(argumentsText: string): boolean {
  return argumentsText !== '' && parseToolArguments(argumentsText).args !== null;
}

function argumentsPiece(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) ? JSON.stringify(value) : '';
}

/** A whole assistant message, joined from a stream. */
type ChatMessage = {
  readonly content: string;
  readonly refusal: string;
  readonly toolCalls: readonly ChatToolCall[];
  /** All fields that the API's own type does not have, such as reasoning of compatible servers and additions of gateways. */
  readonly fields: JsonObject;
};

type ChatToolCall = {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Fields that a server adds to a call, such as a thought signature. */
  readonly fields: JsonObject;
};

/** A message's parts: reasoning, then text, then calls. `firstCall` numbers calls without an id. */
export function fromChatMessage(
  message: ChatMessage,
  origin: Origin,
  firstCall: number,
): AssistantPart[] {
  const { content, refusal, toolCalls } = message;
  return [
    ...fieldParts(message.fields, origin),
    ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
    ...(refusal === '' ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...toolCalls.map((call, index) => fromToolCall(call, origin, `call_${firstCall + index}`)),
  ];
}

/** A call without the fields that its server adds. A call of another provider also takes this form. */
export function toolCallBlock(
  call: Pick<ToolCallPart, 'callId' | 'name'>,
  argumentsText: string,
): JsonObject {
  return {
    id: call.callId,
    type: 'function',
    function: { name: call.name, arguments: argumentsText },
  };
}

/** Shows the first reasoning field. Keeps all others beside it, such as a second one that repeats it. */
function fieldParts(fields: JsonObject, origin: Origin): AssistantPart[] {
  for (const field of reasoningFields) {
    const { [field]: text, ...others } = fields;
    if (typeof text !== 'string' || text === '') continue;
    const shown: AssistantPart = { type: 'reasoning', text, sealed: seal(origin, { field }) };
    return [shown, ...opaqueFields(others, origin)];
  }
  return opaqueFields(fields, origin);
}

function opaqueFields(fields: JsonObject, origin: Origin): AssistantPart[] {
  if (Object.keys(fields).length === 0) return [];
  return [{ type: 'opaque', label: 'message fields', sealed: seal(origin, fields) }];
}

function fromToolCall(call: ChatToolCall, origin: Origin, fallbackId: string): ToolCallPart {
  const text = call.arguments.trim() === '' ? '{}' : call.arguments;
  const parsed = parseToolArguments(text);
  const data = { ...call.fields, ...argumentsSeal(text, parsed) };
  const callId = call.id === '' ? fallbackId : call.id;
  return { type: 'tool_call', callId, name: call.name, ...parsed, ...sealedField(origin, data) };
}
