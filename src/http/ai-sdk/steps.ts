// The steps of one message, and the texts of the step that is open.

import type { StreamEvent } from '../../core/stream/events';
import type { UiChunk } from './chunks';

type Text = Extract<StreamEvent, { readonly type: 'text' | 'reasoning' }>;

export class Steps {
  /** The model turn of the last step, as long as another attempt may take its place. */
  #turn: number | undefined;
  /** That turn has no end yet. */
  #isOpen = false;
  #hasStep = false;
  #isBelow = false;
  #texts = new Map<number, Text['type']>();

  /** True if the last step is an attempt at this turn. */
  isAt(turn: number): boolean {
    return this.#turn === turn;
  }

  /** The turn whose attempt has no end yet. */
  get openTurn(): number | undefined {
    return this.#isOpen ? this.#turn : undefined;
  }

  begin(turn: number): readonly UiChunk[] {
    const isAgain = this.isAt(turn);
    this.#texts = new Map();
    this.#turn = turn;
    this.#isOpen = true;
    return isAgain ? [{ type: 'reset-step' }] : this.#next(false);
  }

  say({ type, turn, part, delta }: Text): readonly UiChunk[] {
    const id = `${turn}.${part}`;
    const begin = this.#texts.has(part) ? [] : [{ type: `${type}-start`, id }];
    this.#texts.set(part, type);
    return [...begin, { type: `${type}-delta`, id, delta }];
  }

  end(turn: number): readonly UiChunk[] {
    const ends = [...this.#texts].map(([part, type]) => ({
      type: `${type}-end`,
      id: `${turn}.${part}`,
    }));
    this.#texts = new Map();
    this.#isOpen = false;
    return ends;
  }

  /** A step for a message of a person. It takes the place of a step without an end. */
  interrupt(): readonly UiChunk[] {
    const chunks = this.#isOpen ? [{ type: 'reset-step' }] : this.#next(false);
    this.#turn = undefined;
    this.#isOpen = false;
    return chunks;
  }

  /** A step for open inputs of runs below, unless the last one is such a step. */
  below(): readonly UiChunk[] {
    this.#turn = undefined;
    return this.#isBelow ? [] : this.#next(true);
  }

  finish(): readonly UiChunk[] {
    return this.#hasStep ? [{ type: 'finish-step' }] : [];
  }

  #next(isBelow: boolean): readonly UiChunk[] {
    const before = this.finish();
    this.#hasStep = true;
    this.#isBelow = isBelow;
    return [...before, { type: 'start-step' }];
  }
}
