// Virtual time and chance: everything that happens in a simulation happens here, one thing after another, and one seed decides all of it.

import type { Clock } from '@sinonjs/fake-timers';

/** Numbers that follow from a seed (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  one<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  }

  /** In the form of a UUID. */
  uuid(): string {
    const hex = Array.from({ length: 8 }, () =>
      this.below(65_536).toString(16).padStart(4, '0'),
    ).join('');
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
    return [...parts, hex.slice(20)].join('-');
  }
}

/** Takes back what was planned. Nothing happens if it has happened. */
export type Cancel = () => void;

/** Timers that are longer fire at once. */
const longestTimer = 2 ** 31 - 1;

export class World {
  readonly chance: Chance;
  readonly #clock: Clock;

  constructor(seed: number, clock: Clock) {
    this.chance = new Chance(seed);
    this.#clock = clock;
  }

  /** In ms since 1970. */
  get now(): number {
    return this.#clock.now;
  }

  /** Runs the work so many virtual milliseconds from now. What is due at the same time runs in the order of the calls. */
  after(ms: number, run: () => void): Cancel {
    const now = Math.min(Math.max(0, ms), longestTimer);
    const later = ms - now;
    const timer = this.#clock.setTimeout(() => {
      if (later <= 0) run();
      else cancel = this.after(later, run);
    }, now);
    let cancel: Cancel = () => this.#clock.clearTimeout(timer);
    return () => cancel();
  }

  /** Resolves so many virtual milliseconds from now. */
  async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.after(ms, resolve));
  }

  /** Lets the next thing happen. False if nothing is due. */
  step(): boolean {
    if (this.#clock.countTimers() === 0) return false;
    this.#clock.next();
    return true;
  }
}
