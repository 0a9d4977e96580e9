// What is true of a run now, beside its tape: open inputs, a pause, a stall, its end. A stream tells what it has not told yet, so a slow
// stream may never hear of an input that was answered at once.

import type { PendingInput } from '../../protocol';
import type { StreamEvent, StreamPlace } from '../../core/stream/events';

export type Unplaced<Event> = Event extends unknown ? Omit<Event, 'position'> : never;

type BoardEvent<Type extends StreamEvent['type']> = Unplaced<
  Extract<StreamEvent, { readonly type: Type }>
>;

type Paused = BoardEvent<'paused'>;
type Stalled = BoardEvent<'stalled'>;
export type End = BoardEvent<'end'>;

type ShownInput = { readonly input: PendingInput; readonly text: string };

export class Board {
  #inputs: ReadonlyMap<string, ShownInput> = new Map();
  #paused: Paused | undefined;
  #stalled: Stalled | undefined;
  end: End | undefined;

  get inputs(): ReadonlyMap<string, ShownInput> {
    return this.#inputs;
  }

  get paused(): Paused | undefined {
    return this.#paused;
  }

  get stalled(): Stalled | undefined {
    return this.#stalled;
  }

  show(pending: readonly PendingInput[]): void {
    this.#inputs = new Map(
      pending.map((input) => [input.inputId, { input, text: JSON.stringify(input) }]),
    );
  }

  /** The same pause again is not another one. */
  pause(place: StreamPlace, pauseSeq: number): void {
    const pending = [...this.#inputs.values()].map(({ input }) => input);
    const isSame =
      this.#paused?.pauseSeq === pauseSeq && idsOf(this.#paused.pending) === idsOf(pending);
    if (!isSame) this.#paused = { ...place, type: 'paused', pauseSeq, pending };
  }

  work(): void {
    this.#paused = undefined;
  }

  stall(place: StreamPlace, reason: Stalled['reason']): void {
    if (this.#stalled?.reason !== reason) this.#stalled = { ...place, type: 'stalled', reason };
  }

  goOn(): void {
    this.#stalled = undefined;
  }
}

function idsOf(pending: readonly PendingInput[]): string {
  return JSON.stringify(pending.map(({ inputId }) => inputId));
}

/** What one stream has told of a board. */
export class BoardReader {
  readonly #board: Board;
  readonly #inputs = new Map<string, string>();
  #paused: Paused | undefined;
  #stalled: Stalled | undefined;
  #hasEnded = false;

  constructor(board: Board) {
    this.#board = board;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** `knowsPause`: whether a pause on the board is one of now. */
  next(
    place: StreamPlace,
    knowsPause: boolean,
  ): BoardEvent<'input' | 'input-end' | 'paused' | 'stalled' | 'end'> | undefined {
    const { paused, stalled, end } = this.#board;
    const input = this.#nextInput(place);
    if (input !== undefined) return input;
    if (knowsPause && paused !== this.#paused) {
      this.#paused = paused;
      if (paused !== undefined) return paused;
    }
    if (stalled !== this.#stalled) {
      this.#stalled = stalled;
      if (stalled !== undefined) return stalled;
    }
    if (end === undefined || this.#hasEnded) return undefined;
    this.#hasEnded = true;
    return end;
  }

  #nextInput(place: StreamPlace): BoardEvent<'input' | 'input-end'> | undefined {
    const { inputs } = this.#board;
    for (const inputId of this.#inputs.keys()) {
      if (inputs.has(inputId)) continue;
      this.#inputs.delete(inputId);
      return { ...place, type: 'input-end', inputId };
    }
    for (const [inputId, { input, text }] of inputs) {
      if (this.#inputs.get(inputId) === text) continue;
      this.#inputs.set(inputId, text);
      return { ...place, type: 'input', input };
    }
    return undefined;
  }
}
