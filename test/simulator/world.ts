// Virtual time and chance: everything that happens in a simulation happens here, one thing after another, and one seed decides all of it.

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

  isTrue(probability: number): boolean {
    return this.next() < probability;
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

type Due = { readonly at: number; readonly order: number; readonly run: () => void };

/** Takes back what was planned. Nothing happens if it has happened. */
export type Cancel = () => void;

export class World {
  readonly chance: Chance;
  #now: number;
  #order = 0;
  #due: Due[] = [];

  constructor(seed: number, startsAt = Date.UTC(2026, 0, 1)) {
    this.chance = new Chance(seed);
    this.#now = startsAt;
  }

  /** In ms since 1970. */
  get now(): number {
    return this.#now;
  }

  /** Runs the work so many virtual milliseconds from now. What is due at the same time runs in the order of the calls. */
  after(ms: number, run: () => void): Cancel {
    const due: Due = { at: this.#now + Math.max(0, ms), order: (this.#order += 1), run };
    let index = this.#due.length;
    while (index > 0 && isLater(this.#due[index - 1], due)) index -= 1;
    this.#due.splice(index, 0, due);
    return () => {
      this.#due = this.#due.filter((one) => one !== due);
    };
  }

  /** When the next thing is due; undefined if nothing is. */
  get nextAt(): number | undefined {
    return this.#due[0]?.at;
  }

  /** Lets the next thing happen. False if nothing is due. */
  step(): boolean {
    const due = this.#due.shift();
    if (due === undefined) return false;
    this.#now = due.at;
    due.run();
    return true;
  }
}

function isLater(left: Due | undefined, right: Due): boolean {
  return (
    left !== undefined && (left.at > right.at || (left.at === right.at && left.order > right.order))
  );
}
