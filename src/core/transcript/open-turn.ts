/*
 * The last model turn, while it can change or lacks results. It does not know the messages before it.
 *
 * O1. A result belongs to the call at the same place among the remaining calls. The turn ignores a result for a wrong place.
 */
import { defined, type JsonObject } from '../../base';
import type { ModelTurnEvent, ToolResultEvent } from '../../protocol/log';
import type { AssistantMessage, Message, ToolCallPart, ToolResult } from '../../protocol/message';
import type { Amendment, WorkingPart } from '../machine/working-turn';
import { amend, callsOf, contentOf, isEmptyTurn, workingParts } from '../machine/working-turn';

export const interrupted = 'not answered: the run was interrupted before this call had a result';

/** A call of the open turn, with the arguments that it will run with. */
export type OpenCall = {
  readonly call: ToolCallPart;
  readonly answered: boolean;
  /** How often a person changed the arguments. */
  readonly edits: number;
};

export class OpenTurn {
  #message: AssistantMessage;
  #parts: readonly WorkingPart[];
  #calls: readonly ToolCallPart[] = [];
  readonly #results = new Map<number, ToolResult>();
  readonly #edits = new Map<number, JsonObject>();
  readonly #editCounts = new Map<number, number>();

  /** `position` is the place of the turn in the transcript. */
  constructor({ content, origin }: Pick<ModelTurnEvent, 'content' | 'origin'>, position: number) {
    this.#parts = workingParts(content, position);
    this.#message = { role: 'assistant', parts: [], ...defined({ origin }) };
    this.#update(this.#parts);
  }

  /** The message of the turn. Undefined for an empty turn. */
  get message(): AssistantMessage | undefined {
    return isEmptyTurn(this.#message.parts) ? undefined : this.#message;
  }

  get calls(): OpenCall[] {
    return this.#calls.map((call, index) => ({
      call: withArguments(call, this.#edits.get(index)),
      answered: this.#results.has(index),
      edits: this.#editCounts.get(index) ?? 0,
    }));
  }

  get isAnswered(): boolean {
    return this.#results.size === this.#calls.length;
  }

  /** The turn and its results. A call without a result gets an error result. */
  get closed(): Message[] {
    const message = this.message;
    if (!message) return [];
    const parts = this.#calls.map(
      (call, index) => this.#results.get(index) ?? errorResult(call, interrupted),
    );
    return parts.length === 0 ? [message] : [message, { role: 'tool', parts }];
  }

  amend(amendment: Amendment): void {
    this.#update(amend(this.#parts, amendment));
  }

  replace(text: string): void {
    this.#update([{ part: { type: 'text', text } }]);
  }

  edit(index: number, args: JsonObject): void {
    this.#edits.set(index, args);
    this.#editCounts.set(index, (this.#editCounts.get(index) ?? 0) + 1);
  }

  /** Takes a result. Drops the result's place, because history does not need it. */
  answer({ result: placed, rejected }: Pick<ToolResultEvent, 'result' | 'rejected'>): void {
    const { turn: _turn, index, ...result } = placed;
    if (index === undefined || this.#calls[index] === undefined) return;
    this.#results.set(index, withEditNote(result, this.#edits.get(index), rejected));
  }

  /** Answers every call with an error, because no call runs. */
  answerAll(textOf: (index: number) => string): void {
    this.#calls.forEach((call, index) =>
      this.#results.set(index, errorResult(call, textOf(index))),
    );
  }

  #update(parts: readonly WorkingPart[]): void {
    this.#parts = parts;
    this.#message = { ...this.#message, parts: contentOf(parts) };
    this.#calls = callsOf(this.#message.parts);
  }
}

const errorResult = (call: ToolCallPart, text: string): ToolResult => ({
  type: 'tool_result',
  callId: call.callId,
  name: call.name,
  isError: true,
  content: [{ type: 'text', text }],
});

/** Replaces the model's arguments with a person's, and drops the model's raw text. */
function withArguments(call: ToolCallPart, args: JsonObject | undefined): ToolCallPart {
  if (!args) return call;
  const { rawArgs: _rawArgs, ...rest } = call;
  return { ...rest, args };
}

/** Adds a note to the result about the arguments that a person put in, because history keeps the call that the model made. */
export function withEditNote(
  result: ToolResult,
  args: JsonObject | undefined,
  isRejected = false,
): ToolResult {
  if (!args) return result;
  const changed = JSON.stringify(args);
  const text = isRejected
    ? `This call did not run. A person changed its arguments to: ${changed}. Then it was rejected:`
    : `A person changed the arguments of this call before it ran, to: ${changed}`;
  return { ...result, content: [{ type: 'text', text }, ...result.content] };
}
