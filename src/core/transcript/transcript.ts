/*
 * The transcript: messages, built from log events one at a time. It applies no limits and makes no decisions.
 *
 * T1. Messages in `#closed` never change. The last model turn stays open until all its calls have answers, or until the next message.
 * T2. Every call of a closed turn has exactly one result, in the message after it, in call order.
 */
import type { Decision, LogEvent } from '../../protocol/log';
import type { AssistantMessage, Message, UserMessage } from '../../protocol/message';
import type { OpenCall } from './open-turn';
import { OpenTurn } from './open-turn';

const notExecuted = 'not executed because another tool call of this turn was invalid';

export const textMessage = (text: string): UserMessage => ({
  role: 'user',
  parts: [{ type: 'text', text }],
});

export class Transcript {
  #closed: Message[] = [];
  /** How many messages of `#closed` are the caller's history. */
  #inherited = 0;
  #open: OpenTurn | undefined;

  apply(event: LogEvent): void {
    switch (event.kind) {
      case 'user':
        return this.#push(event.message);
      case 'model-turn':
        this.#closeTurn();
        this.#open = new OpenTurn(event, this.position);
        return;
      case 'tool-result':
        this.#open?.answer(event.result);
        return this.#closeIfAnswered();
      case 'decision':
        return this.#decide(event.decision);
      case 'summary':
        this.#closed = [textMessage(event.text)];
        this.#inherited = 0;
        this.#open = undefined;
    }
  }

  /** How many messages come before the next turn. It stays the same until that turn is in the log. */
  get position(): number {
    return this.#closed.length;
  }

  /** The last message. It may be an open turn. */
  get last(): Message | undefined {
    return this.#open?.message ?? this.#closed[this.#closed.length - 1];
  }

  get hasOpenCalls(): boolean {
    return this.#open !== undefined && !this.#open.isAnswered;
  }

  get openCalls(): OpenCall[] {
    return this.#open?.calls ?? [];
  }

  /** The messages of this run, for display. Calls of an open turn have no results. */
  get messages(): Message[] {
    const open = this.#open?.message;
    return [...this.#closed.slice(this.#inherited), ...(open ? [open] : [])];
  }

  /** All messages. An open turn gets error results for its open calls. */
  fullHistory(): Message[] {
    return [...this.#closed, ...(this.#open?.closed ?? [])];
  }

  /** The history with this turn left open, for a decision about the turn. */
  historyWith(turn: AssistantMessage): Message[] {
    return [...this.#closed, turn];
  }

  #decide(decision: Decision): void {
    switch (decision.kind) {
      case 'history':
        for (const message of decision.messages) this.#push(message);
        this.#inherited = this.#closed.length;
        return;
      case 'feedback':
        return this.#push(textMessage(decision.text));
      case 'go-on':
        return this.#closeTurn();
      default:
        if (this.#open) amendTurn(this.#open, decision);
        this.#closeIfAnswered();
    }
  }

  #push(message: Message): void {
    this.#closeTurn();
    this.#closed.push(message);
  }

  #closeIfAnswered(): void {
    if (this.#open?.isAnswered) this.#closeTurn();
  }

  #closeTurn(): void {
    this.#closed.push(...(this.#open?.closed ?? []));
    this.#open = undefined;
  }
}

function amendTurn(
  turn: OpenTurn,
  decision: Exclude<Decision, { kind: 'history' } | { kind: 'feedback' } | { kind: 'go-on' }>,
): void {
  switch (decision.kind) {
    case 'repair-call':
    case 'ignore-call':
      return turn.amend(decision);
    case 'replace-turn':
      return turn.replace(decision.text);
    case 'edit-call':
      return turn.edit(decision.index, decision.args);
    case 'answer-calls':
      return turn.answerAll(
        (index) => decision.answers.find((answer) => answer.index === index)?.text ?? notExecuted,
      );
  }
}
