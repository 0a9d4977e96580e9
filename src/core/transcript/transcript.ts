/*
 * The transcript: messages, built from log events one at a time. It applies no limits and makes no decisions.
 *
 * T1. Messages in `#closed` never change. The last model turn stays open until all its calls have answers, or until the next message.
 * T2. Every call of a closed turn has exactly one result, in the message after it, in call order.
 * T3. A compaction changes only the view: `fullHistory`. All messages are still there.
 */
import type { Decision, LogEvent, PersonNote } from '../../protocol/log';
import type { AssistantMessage, Message, UserMessage } from '../../protocol/message';
import type { OpenCall } from './open-turn';
import { OpenTurn } from './open-turn';
import {
  type Compaction,
  type PlacedMessage,
  type ReadsOnly,
  summarisedPart,
  viewOf,
} from './prompt-view';

const notExecuted = 'not executed because another tool call of this turn was invalid';

export const textMessage = (text: string): UserMessage => ({
  role: 'user',
  parts: [{ type: 'text', text }],
});

export class Transcript {
  readonly #closed: PlacedMessage[] = [];
  /** How many messages of `#closed` are the caller's history. */
  #inherited = 0;
  #open: OpenTurn | undefined;
  #turns = 0;
  #isPaused = false;
  #compaction: Compaction = { clearings: [] };

  apply(event: LogEvent): void {
    switch (event.kind) {
      case 'user':
        return this.#push({ message: event.message, turn: this.#turns + 1, isOfUser: true });
      case 'model-turn':
        this.#closeTurn();
        this.#isPaused = false;
        this.#turns += 1;
        this.#open = new OpenTurn(event, this.position);
        return;
      case 'tool-result':
        this.#open?.answer(event);
        return this.#closeIfAnswered();
      case 'decision':
        return this.#decide(event.decision);
      case 'summary':
        return this.#compact({ summary: event });
    }
  }

  /** How many model turns the log has. */
  get turns(): number {
    return this.#turns;
  }

  /** How many messages come before the next turn. It stays the same until that turn is in the log. */
  get position(): number {
    return this.#closed.length;
  }

  /** The last message. It may be an open turn. */
  get last(): Message | undefined {
    return this.#open?.message ?? this.#closed.at(-1)?.message;
  }

  /** The provider paused its last turn and goes on with it. Until then, nothing may come between. */
  get isPaused(): boolean {
    return this.#isPaused;
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
    const closed = this.#closed.slice(this.#inherited).map(({ message }) => message);
    return open ? [...closed, open] : closed;
  }

  /** The view of the conversation that the model gets. An open turn gets error results for its open calls. */
  fullHistory(readsOnly?: ReadsOnly): Message[] {
    return viewOf(this.#placed, this.#compaction, readsOnly);
  }

  /** The view that began with the first `length` messages. */
  viewOfFirst(length: number): Message[] {
    return viewOf(this.#closed.slice(0, length), this.#compaction);
  }

  /** All messages, with those that the view leaves out. An open turn gets error results for its open calls. */
  everything(): Message[] {
    return this.#placed.map(({ message }) => message);
  }

  /** What a summary of the first `through` turns is made of. */
  summarised(through: number): Message[] {
    return summarisedPart(this.#placed, this.#compaction, through);
  }

  /** The history with this turn left open, for a decision about the turn. */
  historyWith(turn: AssistantMessage): Message[] {
    return [...viewOf(this.#closed, this.#compaction), turn];
  }

  get #placed(): readonly PlacedMessage[] {
    return [...this.#closed, ...this.#closedTurn];
  }

  get #closedTurn(): PlacedMessage[] {
    const turn = this.#turns;
    return (this.#open?.closed ?? []).map((message) => ({ message, turn, isOfUser: false }));
  }

  #decide(decision: Decision): void {
    switch (decision.kind) {
      case 'history':
        for (const message of decision.messages) this.#push({ message, turn: 0, isOfUser: false });
        this.#inherited = this.#closed.length;
        return;
      case 'feedback':
        return this.#push({
          message: textMessage(decision.text),
          turn: this.#turns + 1,
          isOfUser: false,
        });
      case 'go-on':
        this.#isPaused = true;
        return this.#closeTurn();
      case 'clear-results':
        return this.#compact({ clearings: [...this.#compaction.clearings, decision] });
      case 'verdict':
      case 'preview':
      case 'migration':
        return;
      default:
        if (this.#open) amendTurn(this.#open, decision);
        this.#closeIfAnswered();
    }
  }

  #compact(change: Pick<Partial<Compaction>, 'summary' | 'clearings'>): void {
    const last = this.#closed.findLastIndex(({ isOfUser }) => isOfUser);
    this.#compaction = { ...this.#compaction, ...change, last };
  }

  #push(placed: PlacedMessage): void {
    this.#closeTurn();
    this.#isPaused = false;
    this.#closed.push(placed);
  }

  #closeIfAnswered(): void {
    if (this.#open?.isAnswered) this.#closeTurn();
  }

  #closeTurn(): void {
    this.#closed.push(...this.#closedTurn);
    this.#open = undefined;
  }
}

/** A decision about the last model turn. */
export type TurnDecision = Exclude<
  Decision,
  { kind: 'history' | 'feedback' | 'go-on' | 'clear-results' | PersonNote['kind'] }
>;

export function amendTurn(turn: OpenTurn, decision: TurnDecision): void {
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
