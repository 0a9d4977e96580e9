// The events of one run, from its log and its live events. Pure: the same facts give the same events.
//
// 1. The log decides. Live deltas show only the turn after the last one in the log, and only while that one has no open call.
// 2. Each entry of the log gives its events once. A step comes again only if its earlier events do not fit the log.
// 3. In the log, the decisions about the content of a turn come right after it.

import { defined } from '../../base';
import { OpenTurn } from '../transcript/open-turn';
import { amendTurn, type TurnDecision } from '../transcript/transcript';
import { LonghaulError } from '../../protocol/errors';
import type { Decision, LogEntry, ModelTurnEvent, ToolResultEvent } from '../../protocol/log';
import type { LiveEvent } from '../../protocol/live';
import type { AssistantPart, ToolResult } from '../../protocol/message';
import type { LogHappening, StreamedCall, StreamPlace, UnplacedEvent } from './events';
import { LiveSteps } from './live-steps';
import { restOf } from './step-rest';

/** The last turn of the log, as long as decisions and results may come. */
type LoggedTurn = {
  readonly event: ModelTurnEvent;
  readonly open: OpenTurn;
  readonly isTold: boolean;
};

export class RunProjection {
  readonly #place: StreamPlace;
  /** How many entries of the log it knows. */
  #length = 0;
  #isKnown = false;
  #last: LoggedTurn | undefined;
  #turns = 0;
  /** How many messages come before the last turn, if that may still change, else before the next one. */
  #position = 0;
  #live = new LiveSteps();
  /** How many model calls left no turn in the log. Live events and results count them, too. */
  #unlogged = 0;

  constructor(place: StreamPlace) {
    this.#place = place;
  }

  /** Takes the entries that the run has from index `from` on. It skips those that it knows. Read a turn with the decisions about it. */
  log(from: number, entries: readonly LogEntry[]): readonly UnplacedEvent[] {
    if (from > this.#length)
      throw new LonghaulError('InternalError', `entries ${this.#length} to ${from} are missing`);
    const news = entries.slice(this.#length - from);
    this.#length += news.length;
    this.#isKnown = true;
    const happenings = news.flatMap((entry) => this.#take(entry));
    return this.#placed([...happenings, ...this.#tellTurn(), ...this.#showNext()]);
  }

  /** Takes a live event. Late events and repetitions give nothing. */
  live(event: LiveEvent): readonly UnplacedEvent[] {
    if (event.kind === 'moved') return [];
    const turn = event.turn - this.#unlogged;
    if (turn <= this.#turns) return [];
    const step = this.#live.take(turn, event);
    if (step === undefined || turn !== this.#turns + 1) return [];
    step.isVoid = false;
    return this.#placed(step.streamed.isShown ? step.news : this.#showNext());
  }

  #take(entry: LogEntry): LogHappening[] {
    switch (entry.kind) {
      case 'user': {
        const { message, messageId, by } = entry;
        return this.#addMessage({ type: 'user', message, ...defined({ messageId, by }) });
      }
      case 'model-turn': {
        const before = this.#closeTurn();
        this.#turns += 1;
        const open = new OpenTurn(entry, this.#position);
        this.#last = { event: entry, open, isTold: false };
        return before;
      }
      case 'tool-result':
        return this.#takeResult(entry);
      case 'decision':
        return this.#decide(entry.decision);
      case 'summary':
        return [];
    }
  }

  #decide(decision: Decision): LogHappening[] {
    switch (decision.kind) {
      case 'history': {
        const before = this.#closeTurn();
        this.#position += decision.messages.length;
        return before;
      }
      case 'feedback': {
        const { text } = decision;
        return this.#addMessage({ type: 'feedback', turn: this.#turns, text });
      }
      case 'go-on':
        return this.#closeTurn();
      case 'verdict':
        return [...this.#tellTurn(), { type: 'verdict', verdict: decision }];
      case 'preview':
      case 'migration':
      case 'clear-results':
        return [];
      default:
        return this.#last === undefined ? [] : this.#amend(this.#last, decision);
    }
  }

  /** A message before the next turn. It voids what streamed of that turn: the run may have cut the call and asked again. */
  #addMessage(message: LogHappening): LogHappening[] {
    const before = this.#closeTurn();
    this.#position += 1;
    this.#live.of(this.#turns + 1)?.void();
    return [...before, message];
  }

  #takeResult(event: ToolResultEvent): LogHappening[] {
    const { result } = event;
    const before = this.#tellTurn();
    const { index = -1, turn = 0 } = result;
    const open = this.#last?.open;
    if (open?.calls[index] === undefined) return before;
    this.#countUnlogged(turn - this.#turns);
    open.answer(event);
    return [...before, this.#result(index, result), ...this.#closeIfAnswered(open)];
  }

  #amend(last: LoggedTurn, decision: TurnDecision): LogHappening[] {
    const { open } = last;
    if (decision.kind === 'edit-call' || decision.kind === 'answer-calls') {
      const before = this.#tellTurn();
      amendTurn(open, decision);
      const after =
        decision.kind === 'edit-call' ? this.#edited(open, decision) : this.#results(open);
      return [...before, ...after, ...this.#closeIfAnswered(open)];
    }
    amendTurn(open, decision);
    this.#last = { ...last, isTold: false };
    return this.#closeIfAnswered(open);
  }

  /** The events of the last turn, if it has not given them yet. */
  #tellTurn(): LogHappening[] {
    const last = this.#last;
    if (last === undefined || last.isTold) return [];
    this.#last = { ...last, isTold: true };
    const turn = this.#turns;
    const { usage, finishReason, origin } = last.event;
    const content = last.open.message?.parts ?? [];
    const live = this.#live.of(turn)?.streamed;
    this.#live.forget(turn);
    const rest = live?.isShown === true ? restOf(turn, live.parts, content) : undefined;
    return [
      ...(rest ?? wholeStep({ turn, attempt: live?.attempt ?? 1 }, content)),
      { type: 'step-end', turn, content, usage, ...defined({ finishReason, origin }) },
    ];
  }

  #closeIfAnswered(open: OpenTurn): LogHappening[] {
    return open.isAnswered ? this.#closeTurn() : [];
  }

  /** Nothing more comes about the last turn. Calls without a result get the result that the conversation has for them. */
  #closeTurn(): LogHappening[] {
    const before = this.#tellTurn();
    if (this.#last === undefined) return before;
    const { open } = this.#last;
    this.#position += open.closed.length;
    this.#last = undefined;
    const results = this.#results(open);
    return [...before, ...results.filter((_, index) => open.calls[index]?.answered === false)];
  }

  #edited(
    open: OpenTurn,
    { index, args }: Extract<TurnDecision, { kind: 'edit-call' }>,
  ): LogHappening[] {
    const call = open.calls[index]?.call;
    return call ? [{ type: 'call-edited', ...this.#callPlace(index, call), args }] : [];
  }

  /** The result of each call, as the conversation has it. */
  #results(open: OpenTurn): LogHappening[] {
    const [, answers] = open.closed;
    const results = answers?.role === 'tool' ? answers.parts : [];
    return results.map((result, index) => this.#result(index, result));
  }

  #result(index: number, { turn: _turn, index: _index, ...result }: ToolResult): LogHappening {
    return { type: 'result', ...this.#callPlace(index, result), name: result.name, result };
  }

  #callPlace(index: number, { callId }: { readonly callId: string }): StreamedCall {
    return { turn: this.#turns, index, callId };
  }

  #countUnlogged(count: number): void {
    if (count <= this.#unlogged) return;
    this.#unlogged = count;
    this.#live = new LiveSteps();
  }

  /** Begins the live step of the next turn, if nothing that comes before it is missing. */
  #showNext(): LogHappening[] {
    const open = this.#last?.open;
    const next = this.#live.of(this.#turns + 1);
    if (next?.isHeld !== true || !this.#isKnown || open?.isAnswered === false) return [];
    return next.streamed.show(this.#position + (open?.closed.length ?? 0));
  }

  #placed(happenings: readonly LogHappening[]): UnplacedEvent[] {
    return happenings.map((happening) => ({ ...this.#place, ...happening }));
  }
}

function wholeStep(
  step: { readonly turn: number; readonly attempt: number },
  content: readonly AssistantPart[],
): LogHappening[] {
  return [{ type: 'step-begin', ...step }, ...(restOf(step.turn, [], content) ?? [])];
}
