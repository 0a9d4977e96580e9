// The messages of one step: an assistant message with text and calls, one for each text after a call, and one for each piece of reasoning.

import type { JsonObject } from '../../base';
import type { StreamEvent } from '../../core/stream/events';
import type { AgUiEvent } from './conversation';
import { callName } from './names';

type Of<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

export class StepWriter {
  readonly id: string;
  readonly turn: number;
  isEnded = false;
  readonly #owner: JsonObject;
  readonly #texts = new Map<number, string>();
  readonly #calls = new Map<number, { hasArgs: boolean; isOpen: boolean }>();
  #speaking: { readonly type: 'text' | 'reasoning'; readonly messageId: string } | undefined;

  /** `owner`: the member that says which sub-agent it is. */
  constructor(id: string, turn: number, owner: JsonObject) {
    this.id = id;
    this.turn = turn;
    this.#owner = owner;
  }

  say({ type, part, delta }: Of<'text' | 'reasoning'>): readonly AgUiEvent[] {
    const messageId = this.#messageId(type, part);
    const isNew = this.#speaking?.messageId !== messageId;
    const before = isNew ? [...this.hush(), ...this.#begin(type, messageId)] : [];
    const content = type === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
    return [...before, { type: content, messageId, delta, ...this.#owner }];
  }

  /** Ends the message that is being written. */
  hush(): readonly AgUiEvent[] {
    if (this.#speaking === undefined) return [];
    const { type, messageId } = this.#speaking;
    this.#speaking = undefined;
    const end = { messageId, ...this.#owner };
    if (type === 'text') return [{ type: 'TEXT_MESSAGE_END', ...end }];
    return [
      { type: 'REASONING_MESSAGE_END', ...end },
      { type: 'REASONING_END', ...end },
    ];
  }

  beginCall(index: number, name: string): readonly AgUiEvent[] {
    if (this.#calls.has(index)) return [];
    this.#calls.set(index, { hasArgs: false, isOpen: true });
    const start = {
      type: 'TOOL_CALL_START',
      toolCallId: callName(this.id, index),
      toolCallName: name,
      parentMessageId: this.id,
      ...this.#owner,
    };
    return [...this.hush(), start];
  }

  addArguments(index: number, delta: string): readonly AgUiEvent[] {
    const call = this.#calls.get(index);
    if (call === undefined) return [];
    call.hasArgs = true;
    return [
      { type: 'TOOL_CALL_ARGS', toolCallId: callName(this.id, index), delta, ...this.#owner },
    ];
  }

  hasArguments(index: number): boolean {
    return this.#calls.get(index)?.hasArgs ?? false;
  }

  endCall(index: number): readonly AgUiEvent[] {
    const call = this.#calls.get(index);
    if (call?.isOpen !== true) return [];
    call.isOpen = false;
    return [{ type: 'TOOL_CALL_END', toolCallId: callName(this.id, index), ...this.#owner }];
  }

  endCalls(): readonly AgUiEvent[] {
    return [...this.#calls.keys()].flatMap((index) => this.endCall(index));
  }

  /** A client puts all calls of a message behind its text, so a text after a call is a message of its own. */
  #messageId(type: 'text' | 'reasoning', part: number): string {
    const isApart = type === 'reasoning' || this.#calls.size > 0;
    const messageId = this.#texts.get(part) ?? (isApart ? `${this.id}/part-${part}` : this.id);
    this.#texts.set(part, messageId);
    return messageId;
  }

  #begin(type: 'text' | 'reasoning', messageId: string): readonly AgUiEvent[] {
    this.#speaking = { type, messageId };
    const start = { messageId, ...this.#owner };
    if (type === 'text') return [{ type: 'TEXT_MESSAGE_START', role: 'assistant', ...start }];
    return [
      { type: 'REASONING_START', ...start },
      { type: 'REASONING_MESSAGE_START', role: 'reasoning', ...start },
    ];
  }
}
