// Keeps the model calls in progress of one run, from their live events so far. It shows nothing itself.
//
// 1. A repeated event changes nothing, and neither does one of an earlier attempt.
// 2. After a gap, an attempt takes no more deltas: the log brings the rest.
// 3. It keeps two steps at most: the log may be one turn behind the live events.

import type { LiveAttempt, LiveEvent } from '../../protocol/live';
import type { LogHappening } from './events';
import { StreamedStep } from './streamed-step';

export type StepEvent = Exclude<LiveEvent, { kind: 'moved' }>;

export class LiveSteps {
  /** In the order of their turns. */
  #steps: readonly LiveStep[] = [];

  /** The step of a turn, if a live event began it. */
  of(turn: number): LiveStep | undefined {
    return this.#steps.find(({ streamed }) => streamed.turn === turn);
  }

  /** The step of the event. Undefined if the event is not new. */
  take(turn: number, event: StepEvent): LiveStep | undefined {
    const known = this.of(turn);
    if (known !== undefined && !known.isBefore(event)) return known.take(event) ? known : undefined;
    const begun = new LiveStep(turn, event);
    const others = this.#steps.filter((step) => step !== known);
    const steps = [...others, begun].sort((one, other) => one.streamed.turn - other.streamed.turn);
    this.#steps = steps.length > 2 ? [...steps.slice(0, 1), ...steps.slice(-1)] : steps;
    begun.take(event);
    return begun;
  }

  /** Forgets the steps up to this turn: the log has them. */
  forget(turn: number): void {
    this.#steps = this.#steps.filter(({ streamed }) => streamed.turn > turn);
  }
}

export class LiveStep {
  readonly streamed: StreamedStep;
  /** True if another event has voided the step. Only a further live event shows that the step is still in progress. */
  isVoid = false;
  /** What the last delta gives. */
  news: readonly LogHappening[] = [];
  readonly #attempt: LiveAttempt;
  #nextSeq = 0;
  #hasGap = false;

  constructor(turn: number, { calledAt, attempt }: StepEvent) {
    this.streamed = new StreamedStep({ turn, attempt });
    this.#attempt = { turn, calledAt, attempt };
  }

  isBefore({ calledAt, attempt }: StepEvent): boolean {
    const own = this.#attempt;
    return own.calledAt < calledAt || (own.calledAt === calledAt && own.attempt < attempt);
  }

  /** It waits for the log. */
  get isHeld(): boolean {
    return !this.isVoid && !this.streamed.isShown;
  }

  void(): void {
    this.isVoid ||= this.streamed.isShown;
    this.streamed.hide();
  }

  /** False if the event changes nothing. */
  take(event: StepEvent): boolean {
    const { calledAt, attempt } = this.#attempt;
    const isOwn = event.calledAt === calledAt && event.attempt === attempt;
    if (!isOwn || event.kind === 'begin' || this.#hasGap || event.seq < this.#nextSeq) return false;
    this.#hasGap = event.seq > this.#nextSeq;
    if (this.#hasGap) return false;
    this.#nextSeq += event.count ?? 1;
    this.news = this.streamed.add(event.delta);
    return true;
  }
}
