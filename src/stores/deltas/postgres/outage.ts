import { errorText } from '../../../base';

/** Warns once while something does not work. */
export class Outage {
  readonly #warn: (message: string) => void;
  #isOn = false;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Never throws: the logger is the user's. */
  report(what: string, error: unknown): void {
    if (this.#isOn) return;
    this.#isOn = true;
    try {
      this.#warn(`PostgresDeltas ${what}: ${errorText(error)}. Streams show whole turns meanwhile`);
    } catch {
      // A failure of the logger itself cannot be reported.
    }
  }

  end(): void {
    this.#isOn = false;
  }
}
