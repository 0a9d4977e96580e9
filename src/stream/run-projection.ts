// The events of one run, from its log and its live events. Pure: the same facts give the same events.
//
// 1. The log decides. Live deltas show only the turn after the last one in the log, and only while that one has no open call.
// 2. The log says each thing once. It tells a step again only if what was said about the step is not right.
// 3. In the log, the decisions about the content of a turn come right after it.

import { defined } from '../base/json';
import { OpenTurn } from '../core/transcript/open-turn';
import { amendTurn, type TurnDecision } from '../core/transcript/transcript';
import { LonghaulError } from '../protocol/errors';
import type { Decision, LogEntry, ModelTurnEvent } from '../protocol/log';
import type { LiveEvent } from '../protocol/live';
import type { AssistantPart, ToolResult } from '../protocol/message';
import type { LogHappening, StreamedCall, StreamPlace, UnplacedEvent } from './events';
import { type LiveStep, LiveSteps } from './live-steps';
import { restOf } from './step-rest';

/** The last turn of the log, as long as decisions and results may come. */
type LoggedTurn = {
  readonly event: ModelTurnEvent;
  readonly open: OpenTurn;
  /** The last entry about its content. */
  readonly index: number;
  readonly isTold: boolean;
};

export class RunProjection {
  readonly #place: StreamPlace;
  readonly #entries: LogEntry[] = [];
  #live = new LiveSteps();
  #isKnown = false;
  #last: LoggedTurn | undefined;
  #turns = 0;
  /** How many messages come before the last turn, if that may still change, else before the next one. */
  #position = 0;
  /** How many model calls left no turn in the log. Live events and results count them, too. */
  #unlogged = 0;
  /** It says nothing about the entries before. */
  #from = 0;

  constructor(place: StreamPlace) {
    this.#place = place;
  }

  /** Takes the entries that the run has from index `from` on. It skips those that it knows. */
  log(from: number, entries: readonly LogEntry[]): readonly UnplacedEvent[] {
    const known = this.#entries.length;
    if (from > known)
      throw new LonghaulError('InternalError', `entries ${known} to ${from} are missing`);
    const events = entries.slice(known - from).flatMap((entry) => {
      this.#entries.push(entry);
      return this.#take(this.#entries.length - 1, entry);
    });
    events.push(...this.#tellTurn());
    this.#isKnown = true;
    this.#live.forget(this.#turns);
    const next = this.#live.of(this.#turns + 1);
    return next === undefined || next.isVoid ? events : [...events, ...this.#show(next)];
  }

  /** Takes a live event. Late ones and repetitions give nothing. */
  live(event: LiveEvent): readonly UnplacedEvent[] {
    if (event.kind === 'moved') return [];
    const turn = event.turn - this.#unlogged;
    if (turn <= this.#turns) return [];
    const step = this.#live.take(turn, event);
    if (step === undefined || turn !== this.#turns + 1) return [];
    step.isVoid = false;
    return step.streamed.isShown ? this.#say(step.news) : this.#show(step);
  }

  /** How many entries of the log it knows. */
  get length(): number {
    return this.#entries.length;
  }

  /** Live events came that wait for entries before them: read the log. */
  get isBehind(): boolean {
    return this.#live.hasAfter(this.#turns + 1) || this.#live.of(this.#turns + 1)?.isHeld === true;
  }

  /**
   * What a stream gets that begins now: all events until now, with merged deltas, without those about the first `from` entries. The later
   * events go on from there.
   */
  snapshot(from = 0): readonly UnplacedEvent[] {
    if (!this.#isKnown) return [];
    const logged = new RunProjection(this.#place);
    logged.#from = from;
    const live = this.#live.of(this.#turns + 1)?.streamed.told ?? [];
    return [...logged.log(0, this.#entries), ...this.#say(live)];
  }

  #take(index: number, entry: LogEntry): UnplacedEvent[] {
    switch (entry.kind) {
      case 'user': {
        const { message, messageId, by } = entry;
        return this.#message(index, { type: 'user', message, ...defined({ messageId, by }) });
      }
      case 'model-turn': {
        const events = this.#closeTurn(index);
        this.#turns += 1;
        const open = new OpenTurn(entry, this.#position);
        this.#last = { event: entry, open, index, isTold: false };
        return events;
      }
      case 'tool-result':
        return [...this.#tellTurn(), ...this.#takeResult(index, entry.result)];
      case 'decision':
        return this.#decide(index, entry.decision);
      case 'summary':
        return [];
    }
  }

  #decide(index: number, decision: Decision): UnplacedEvent[] {
    switch (decision.kind) {
      case 'history': {
        const events = this.#closeTurn(index);
        this.#position += decision.messages.length;
        return events;
      }
      case 'feedback': {
        const { text } = decision;
        return this.#message(index, { type: 'feedback', turn: this.#turns, text });
      }
      case 'go-on':
        return this.#closeTurn(index);
      case 'verdict':
        return [
          ...this.#tellTurn(),
          ...this.#sayEntry(index, [{ type: 'verdict', verdict: decision }]),
        ];
      case 'preview':
      case 'clear-results':
        return [];
      default:
        return this.#last === undefined ? [] : this.#amend(index, this.#last, decision);
    }
  }

  /** A message before the next turn. It voids what streamed of that turn: the turn may have been asked for again. */
  #message(index: number, happening: LogHappening): UnplacedEvent[] {
    const events = [...this.#closeTurn(index), ...this.#sayEntry(index, [happening])];
    this.#position += 1;
    this.#live.of(this.#turns + 1)?.void();
    return events;
  }

  #takeResult(index: number, result: ToolResult): UnplacedEvent[] {
    const last = this.#last;
    const call = last?.open.calls[result.index ?? -1];
    if (last === undefined || call === undefined) return [];
    this.#countUnlogged((result.turn ?? 0) - this.#turns);
    last.open.answer(result);
    const events = this.#sayEntry(index, [this.#result(result.index ?? 0, result)]);
    return [...events, ...this.#closeIfAnswered()];
  }

  #amend(index: number, last: LoggedTurn, decision: TurnDecision): UnplacedEvent[] {
    const isContent = decision.kind !== 'edit-call' && decision.kind !== 'answer-calls';
    const events = isContent ? [] : this.#tellTurn();
    amendTurn(last.open, decision);
    if (isContent) this.#last = { ...last, index, isTold: false };
    if (decision.kind === 'edit-call') {
      const call = last.open.calls[decision.index]?.call;
      const { args } = decision;
      if (call)
        events.push(
          ...this.#sayEntry(index, [
            { type: 'call-edited', ...this.#callPlace(decision.index, call), args },
          ]),
        );
    }
    if (decision.kind === 'answer-calls')
      events.push(...this.#sayEntry(index, this.#results(last.open)));
    return [...events, ...this.#closeIfAnswered()];
  }

  /** Tells the last turn, unless it was told. */
  #tellTurn(): UnplacedEvent[] {
    const last = this.#last;
    if (last === undefined || last.isTold) return [];
    this.#last = { ...last, isTold: true };
    const turn = this.#turns;
    const { usage, finishReason, origin } = last.event;
    const content = last.open.message?.parts ?? [];
    const live = this.#live.of(turn)?.streamed;
    this.#live.forget(turn);
    const rest = live?.isShown === true ? restOf(turn, live.parts, content) : undefined;
    return this.#sayEntry(last.index, [
      ...(rest ?? wholeStep({ turn, attempt: live?.attempt ?? 1 }, content)),
      { type: 'step-end', turn, content, usage, ...defined({ finishReason, origin }) },
    ]);
  }

  #closeIfAnswered(): UnplacedEvent[] {
    if (this.#last?.open.isAnswered !== true) return [];
    return this.#closeTurn(this.#entries.length);
  }

  /** Nothing more comes about the last turn. Calls without a result get what the conversation says about them. */
  #closeTurn(index: number): UnplacedEvent[] {
    const events = this.#tellTurn();
    if (this.#last === undefined) return events;
    const { open } = this.#last;
    this.#position += open.closed.length;
    this.#last = undefined;
    const unanswered = this.#results(open).filter(
      (_, place) => open.calls[place]?.answered === false,
    );
    return [...events, ...this.#say(unanswered, index)];
  }

  #results(open: OpenTurn): LogHappening[] {
    const [, message] = open.closed;
    return message?.role === 'tool'
      ? message.parts.map((result, index) => this.#result(index, result))
      : [];
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

  /** Begins a live step, if nothing that comes before it is missing. */
  #show({ streamed }: LiveStep): UnplacedEvent[] {
    const open = this.#last?.open;
    if (!this.#isKnown || open?.isAnswered === false) return [];
    return this.#say(streamed.show(this.#position + (open?.closed.length ?? 0)));
  }

  /** The last event completes the entry. */
  #sayEntry(index: number, happenings: readonly LogHappening[]): UnplacedEvent[] {
    const last = happenings.length - 1;
    if (index < this.#from) return [];
    return happenings.map((happening, place) => ({
      ...this.#place,
      told: place === last ? index + 1 : index,
      ...happening,
    }));
  }

  /** Events that complete no entry. */
  #say(happenings: readonly LogHappening[], told = this.#entries.length): UnplacedEvent[] {
    if (told < this.#from) return [];
    return happenings.map((happening) => ({ ...this.#place, told, ...happening }));
  }
}

function wholeStep(
  step: { readonly turn: number; readonly attempt: number },
  content: readonly AssistantPart[],
): LogHappening[] {
  return [{ type: 'step-begin', ...step }, ...(restOf(step.turn, [], content) ?? [])];
}
