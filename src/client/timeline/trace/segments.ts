// Cuts a run into segments: it ends where the run begins to wait for an answer, and the next one begins with the last open answer.

import { defined, isJsonObject, oneLine } from '../../../base';
import { memoKey, type RunMemo, type RunStatus, signalNames, updateNames } from '../../../protocol';
import { memoOf } from '../../read/run-view';
import type { Decoder } from '../payloads';
import type { Step } from '../steps';
import type { TracePause, TraceSegment, TraceStep } from './run-trace';

type Answer = Pick<TracePause, 'end' | 'by'> & { readonly at: string };
type MemoInput = NonNullable<RunMemo['pending']>[number];

/** A memo cuts paths at this length. */
const memoPathBytes = 100;

/** By the name of the update, or by the kind of the answer in a signal. */
const answerKinds: ReadonlyMap<unknown, TracePause['end']> = new Map([
  [updateNames.resume, 'answered'],
  [updateNames.approve, 'approved'],
  [updateNames.reject, 'rejected'],
  [updateNames.complete, 'completed'],
  [updateNames.fail, 'failed'],
]);

/** The root run passes answers down with the first one. */
const answerSignals: ReadonlySet<string> = new Set([signalNames.answer, signalNames.resume]);

/** Milliseconds from one time to another; 0 if a clock went back. */
export function spanMs(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

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
  readonly #decoder: Decoder;
  readonly #segments: Segment[];
  readonly #open = new Map<string, OpenPause>();
  #segment: Segment;
  #status: RunStatus = 'running';

  constructor(startedAt: string, path: string, decoder: Decoder) {
    this.#path = oneLine(path, memoPathBytes);
    this.#decoder = decoder;
    this.#segment = { startedAt, steps: [] };
    this.#segments = [this.#segment];
  }

  /** As the last memo says. */
  get status(): RunStatus {
    return this.#status;
  }

  add(...steps: readonly TraceStep[]): void {
    this.#segment.steps.push(...steps);
  }

  async see(step: Step): Promise<void> {
    switch (step.kind) {
      case 'begin':
      case 'memo':
        if (!step.memo) return;
        return this.#seeMemo(await this.#decoder.value(step.memo), step.at);
      case 'update':
        if (answerKinds.has(step.name)) await this.#seeAnswer(step);
        return;
      case 'signal':
        if (answerSignals.has(step.name)) await this.#seeAnswer(step);
        return;
      case 'close':
        for (const inputId of [...this.#open.keys()]) this.#end(inputId, step.at);
        this.#segment.endedAt ??= step.at;
        return;
      default:
    }
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
  #seeMemo(memo: unknown, at: string): void {
    const { status = 'running', pending = [], morePending } = memoOf({ memo: { [memoKey]: memo } });
    this.#status = status;
    const own = status === 'needs-input' ? pending.filter(({ path }) => path === this.#path) : [];
    for (const input of own) if (!this.#open.has(input.inputId)) this.#begin(input, at);
    if (morePending !== undefined) return;
    const shown = new Set(own.map(({ inputId }) => inputId));
    for (const inputId of [...this.#open.keys()]) if (!shown.has(inputId)) this.#end(inputId, at);
  }

  async #seeAnswer({ name, input, at }: Step<'update' | 'signal'>): Promise<void> {
    const given = await this.#decoder.value(input);
    if (!isJsonObject(given)) return;
    const { inputId, by, kind } = given;
    const open = typeof inputId === 'string' ? this.#open.get(inputId) : undefined;
    if (open === undefined) return;
    const end = answerKinds.get(name) ?? answerKinds.get(kind) ?? 'answered';
    const actor = isJsonObject(by) && typeof by['id'] === 'string' ? by['id'] : undefined;
    open.answer = { at, end, ...defined({ by: actor }) };
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
    const { end = 'ended', by } = answer ?? {};
    const ms = spanMs(pause.startedAt, answer?.at ?? at);
    segment.steps[index] = { ...pause, ms, end, ...defined({ by }) };
    this.#open.delete(inputId);
    if (this.#open.size > 0) return;
    this.#segment = { startedAt: at, steps: [] };
    this.#segments.push(this.#segment);
  }
}
