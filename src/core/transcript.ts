/*
 * The transcript: messages, built from log events one at a time. It knows no limits and asks nobody.
 *
 * T1. Messages that are in `#settled` never change; the last model turn stays open until the next event that cannot amend it.
 * T2. Every call of a settled turn has exactly one result, in the message after it, in call order.
 * T3. `fullHistory` closes an open turn: the results so far, then an error result for every other call.
 */
import type { CallAnswer, Decision, LogEvent, ModelTurnEvent } from '../protocol/log';
import type {
  AssistantMessage,
  Message,
  Origin,
  ToolCallPart,
  ToolResult,
} from '../protocol/message';
import type { JsonObject } from '../protocol/json';
import type { WorkingPart } from './working-turn';
import { amend, callsOf, contentOf, isEmptyTurn, workingParts } from './working-turn';

export const notExecuted = 'not executed because another tool call of this turn was invalid';
export const interrupted = 'not answered: the run was interrupted before this call had a result';

/** A call of the open turn, with its arguments as they are to run. */
export type OpenCall = { readonly call: ToolCallPart; readonly answered: boolean };

type OpenTurn = {
  readonly parts: readonly WorkingPart[];
  readonly origin?: Origin;
  readonly results: readonly (ToolResult | undefined)[];
  readonly edits: readonly (JsonObject | undefined)[];
};

export const textMessage = (text: string): Extract<Message, { role: 'user' }> => ({
  role: 'user',
  parts: [{ type: 'text', text }],
});

const errorResult = (call: ToolCallPart, text: string): ToolResult => ({
  type: 'tool_result',
  callId: call.callId,
  name: call.name,
  isError: true,
  content: [{ type: 'text', text }],
});

function withItem<Item>(items: readonly Item[], index: number, item: Item): Item[] {
  const copy = items.slice();
  copy[index] = item;
  return copy;
}

/** A person's arguments replace the model's; the raw text belonged to those. */
function withArguments(call: ToolCallPart, args: JsonObject | undefined): ToolCallPart {
  if (!args) return call;
  const { rawArgs: _rawArgs, ...rest } = call;
  return { ...rest, args };
}

/** History keeps the call as the model made it, so its result tells the model what really ran. */
function withEditNote(result: ToolResult, args: JsonObject | undefined): ToolResult {
  if (!args) return result;
  const text = `A person changed the arguments of this call before it ran, to: ${JSON.stringify(args)}`;
  return { ...result, content: [{ type: 'text', text }, ...result.content] };
}

export class Transcript {
  #settled: Message[] = [];
  #inherited = 0;
  #open: OpenTurn | undefined;

  apply(event: LogEvent): void {
    switch (event.kind) {
      case 'user':
        return this.#push(event.message);
      case 'model-turn':
        return this.#begin(event);
      case 'tool-result':
        return this.#answer(event.result);
      case 'decision':
        return this.#decide(event.decision);
      case 'summary':
        this.#settled = [textMessage(event.text)];
        this.#inherited = 0;
        this.#open = undefined;
    }
  }

  /** How many messages precede the next turn: fixed while that turn is not in the log yet. */
  get position(): number {
    return this.#settled.length;
  }

  /** The settled messages, the last one apart; a view, because most readers never look at it. */
  get request(): { readonly prompt: Message; readonly history: Message[] } {
    const settled = this.#settled;
    const last = settled.length - 1;
    return {
      prompt: settled[last] as Message,
      get history(): Message[] {
        return settled.slice(0, last);
      },
    };
  }

  /** The last message, an open turn included. */
  get last(): Message | undefined {
    return this.#openMessage() ?? this.#settled[this.#settled.length - 1];
  }

  get openCalls(): OpenCall[] {
    const open = this.#open;
    if (!open) return [];
    return callsOf(contentOf(open.parts)).map((call, index) => ({
      call: withArguments(call, open.edits[index]),
      answered: open.results[index] !== undefined,
    }));
  }

  /** What this run added, for display: an open turn stands there unanswered. */
  get messages(): Message[] {
    const messages = this.#settled.slice(this.#inherited);
    const open = this.#openMessage();
    return open ? [...messages, open] : messages;
  }

  fullHistory(): Message[] {
    return [...this.#settled, ...this.#closedTurn()];
  }

  /** The history as it would be were this turn in it, left open: for whoever decides about the turn. */
  historyWith(turn: AssistantMessage): Message[] {
    return [...this.#settled, turn];
  }

  clone(): Transcript {
    const copy = new Transcript();
    copy.#settled = this.#settled.slice();
    copy.#inherited = this.#inherited;
    copy.#open = this.#open;
    return copy;
  }

  #push(message: Message): void {
    this.#settle();
    this.#settled.push(message);
  }

  #begin(event: ModelTurnEvent): void {
    this.#settle();
    this.#open = {
      parts: workingParts(event.content, this.position),
      ...(event.origin && { origin: event.origin }),
      results: [],
      edits: [],
    };
  }

  #decide(decision: Decision): void {
    if (decision.kind === 'history') {
      for (const message of decision.messages) this.#push(message);
      this.#inherited = this.#settled.length;
    } else if (decision.kind === 'feedback') this.#push(textMessage(decision.text));
    else if (this.#open) this.#amend(this.#open, decision);
  }

  #amend(
    open: OpenTurn,
    decision: Exclude<Decision, { kind: 'history' } | { kind: 'feedback' }>,
  ): void {
    switch (decision.kind) {
      case 'repair-call':
      case 'ignore-call':
        this.#open = { ...open, parts: amend(open.parts, decision) };
        return;
      case 'replace-turn':
        this.#open = { ...open, parts: [{ part: { type: 'text', text: decision.text } }] };
        return;
      case 'edit-call':
        this.#open = { ...open, edits: withItem(open.edits, decision.index, decision.args) };
        return;
      case 'answer-calls':
        this.#answerAll(open, decision.answers);
    }
  }

  #answerAll(open: OpenTurn, answers: readonly CallAnswer[]): void {
    callsOf(contentOf(open.parts)).forEach((call, index) => {
      const own = answers.find((answer) => answer.index === index);
      this.#answer({ ...errorResult(call, own?.text ?? notExecuted), index });
    });
  }

  #answer(result: ToolResult): void {
    const open = this.#open;
    const { turn: _turn, index, ...answer } = result;
    if (!open || index === undefined) return;
    const answered = withEditNote(answer, open.edits[index]);
    const results = withItem(open.results, index, answered);
    this.#open = { ...open, results };
    if (callsOf(contentOf(open.parts)).every((_call, at) => results[at] !== undefined))
      this.#settle();
  }

  /** The open turn can no longer be amended: it and its results become messages. */
  #settle(): void {
    this.#settled.push(...this.#closedTurn());
    this.#open = undefined;
  }

  #closedTurn(): Message[] {
    const message = this.#openMessage();
    if (!message) return [];
    const results = this.#open?.results ?? [];
    const parts = callsOf(message.parts).map(
      (call, index) => results[index] ?? errorResult(call, interrupted),
    );
    return parts.length === 0 ? [message] : [message, { role: 'tool', parts }];
  }

  #openMessage(): AssistantMessage | undefined {
    const open = this.#open;
    if (!open) return undefined;
    const parts = contentOf(open.parts);
    if (isEmptyTurn(parts)) return undefined;
    return { role: 'assistant', parts, ...(open.origin && { origin: open.origin }) };
  }
}
