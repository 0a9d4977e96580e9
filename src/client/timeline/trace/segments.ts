// Cuts a run into segments: it ends where the run begins to wait for an answer, and the next one begins with the last open answer.

import { oneLine } from '../../../base/text';
import type { RunMemo } from '../../../protocol/run';
import { type PastEvent, spanMs } from './past-event';
import type { TracePause, TraceSegment, TraceStep } from './run-trace';

type Answer = Extract<PastEvent, { kind: 'answer' }>;
type MemoInput = NonNullable<RunMemo['pending']>[number];

/** A memo cuts paths at this length. */
const memoPathBytes = 100;

type Segment = { readonly startedAt: string; endedAt?: string; readonly steps: TraceStep[] };

/** A pause in progress is at `index` of the steps of `segment`. */
type OpenPause = {
  readonly pause: TracePause;
  readonly segment: Segment;
  readonly index: number;
  answer?: Answer;
};

export class Segments {
  readonly #path: string;
  readonly #segments: Segment[];
  readonly #open = new Map<string, OpenPause>();
  #segment: Segment;

  constructor(startedAt: string, path: string) {
    this.#path = oneLine(path, memoPathBytes);
    this.#segment = { startedAt, steps: [] };
    this.#segments = [this.#segment];
  }

  add(...steps: readonly TraceStep[]): void {
    this.#segment.steps.push(...steps);
  }

  see(event: PastEvent): void {
    if (event.kind === 'memo') this.#seeMemo(event.memo, event.at);
    if (event.kind === 'close') this.#endAll(event.at);
    const open = event.kind === 'answer' ? this.#open.get(event.inputId) : undefined;
    if (open && event.kind === 'answer') open.answer = event;
  }

  /** A pause that is still open lasts until `now`. */
  end(now: string): readonly TraceSegment[] {
    for (const { pause, segment, index } of this.#open.values())
      segment.steps[index] = { ...pause, ms: spanMs(pause.startedAt, now) };
    return this.#segments
      .map(({ startedAt, endedAt = now, steps }) => ({
        startedAt,
        ms: spanMs(startedAt, endedAt),
        steps,
      }))
      .filter(({ ms, steps }, index) => index === 0 || ms > 0 || steps.length > 0);
  }

  /** Inputs of runs below have other paths. A memo without room for all inputs does not say which ones were answered. */
  #seeMemo({ status, pending = [], morePending }: RunMemo, at: string): void {
    const own = status === 'needs-input' ? pending.filter(({ path }) => path === this.#path) : [];
    for (const input of own) if (!this.#open.has(input.inputId)) this.#begin(input, at);
    if (morePending !== undefined) return;
    const shown = new Set(own.map(({ inputId }) => inputId));
    for (const inputId of [...this.#open.keys()]) if (!shown.has(inputId)) this.#end(inputId, at);
  }

  #begin({ inputId, kind, question, since }: MemoInput, at: string): void {
    this.#segment.endedAt ??= at;
    const pause: TracePause = {
      kind: 'pause',
      asks: kind,
      inputId,
      question,
      startedAt: since,
      ms: 0,
    };
    const index = this.#segment.steps.push(pause) - 1;
    this.#open.set(inputId, { pause, segment: this.#segment, index });
  }

  #end(inputId: string, at: string): void {
    const open = this.#open.get(inputId);
    if (open === undefined) return;
    const { pause, segment, index, answer } = open;
    const { said = 'ended', by } = answer ?? {};
    const ms = spanMs(pause.startedAt, answer?.at ?? at);
    segment.steps[index] = { ...pause, ms, end: said, ...(by !== undefined && { by }) };
    this.#open.delete(inputId);
    if (this.#open.size > 0) return;
    this.#segment = { startedAt: at, steps: [] };
    this.#segments.push(this.#segment);
  }

  #endAll(at: string): void {
    for (const inputId of [...this.#open.keys()]) this.#end(inputId, at);
    this.#segment.endedAt ??= at;
  }
}
