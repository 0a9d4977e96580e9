// What is true of a run now, beside its events: open inputs, a pause, a stall, its end. A stream tells what it has not told yet, so a slow
// stream may never hear of an input that was answered at once.

import type { PendingInput } from '../../protocol';
import type { StreamEvent, StreamPlace } from '../../core/stream/events';

export type Unplaced<Event> = Event extends unknown ? Omit<Event, 'position'> : never;

type NowEvent<Type extends StreamEvent['type']> = Unplaced<
  Extract<StreamEvent, { readonly type: Type }>
>;

type Paused = NowEvent<'paused'>;
type Stalled = NowEvent<'stalled'>;
export type End = NowEvent<'end'>;

type ShownInput = { readonly input: PendingInput; readonly text: string };

export type RunNow = {
  inputs: ReadonlyMap<string, ShownInput>;
  paused: Paused | undefined;
  stalled: Stalled | undefined;
  end: End | undefined;
  /** The number of the last round of looking, and of the last one that found out whether the run is paused. */
  round: number;
  looked: number;
};

/** What one stream has told. */
export type ToldNow = {
  readonly inputs: Map<string, string>;
  paused: Paused | undefined;
  stalled: Stalled | undefined;
  hasEnded: boolean;
};

const nothing = { paused: undefined, stalled: undefined };

export function nothingKnown(): RunNow {
  return { ...nothing, inputs: new Map(), end: undefined, round: 0, looked: 0 };
}

export function nothingTold(): ToldNow {
  return { ...nothing, inputs: new Map(), hasEnded: false };
}

export function showInputs(now: RunNow, pending: readonly PendingInput[]): void {
  now.inputs = new Map(
    pending.map((input) => [input.inputId, { input, text: JSON.stringify(input) }]),
  );
}

/** The same pause again is not another one. */
export function showPause(now: RunNow, place: StreamPlace, pauseSeq: number): void {
  const { paused } = now;
  const pending = [...now.inputs.values()].map(({ input }) => input);
  const isSame = paused?.pauseSeq === pauseSeq && idsOf(paused.pending) === idsOf(pending);
  if (!isSame) now.paused = { ...place, type: 'paused', pauseSeq, pending };
}

export function showStall(now: RunNow, place: StreamPlace, reason: Stalled['reason']): void {
  if (now.stalled?.reason !== reason) now.stalled = { ...place, type: 'stalled', reason };
}

function idsOf(pending: readonly PendingInput[]): string {
  return JSON.stringify(pending.map(({ inputId }) => inputId));
}

/** The next event of what is true now, and marks it as told. `knowsPause`: whether the pause is one of now. */
export function tellNow(
  now: RunNow,
  told: ToldNow,
  { place, knowsPause }: { readonly place: StreamPlace; readonly knowsPause: boolean },
): NowEvent<'input' | 'input-end' | 'paused' | 'stalled' | 'end'> | undefined {
  const { paused, stalled, end } = now;
  const input = tellInput(now, told, place);
  if (input !== undefined) return input;
  if (knowsPause && paused !== told.paused) {
    told.paused = paused;
    if (paused !== undefined) return paused;
  }
  if (stalled !== told.stalled) {
    told.stalled = stalled;
    if (stalled !== undefined) return stalled;
  }
  if (end === undefined || told.hasEnded) return undefined;
  told.hasEnded = true;
  return end;
}

function tellInput(
  { inputs }: RunNow,
  told: ToldNow,
  place: StreamPlace,
): NowEvent<'input' | 'input-end'> | undefined {
  for (const inputId of told.inputs.keys()) {
    if (inputs.has(inputId)) continue;
    told.inputs.delete(inputId);
    return { ...place, type: 'input-end', inputId };
  }
  for (const [inputId, { input, text }] of inputs) {
    if (told.inputs.get(inputId) === text) continue;
    told.inputs.set(inputId, text);
    return { ...place, type: 'input', input };
  }
  return undefined;
}
