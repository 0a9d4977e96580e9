/** A wait that somebody may end early. */
export class Pause {
  #resume: (() => void) | undefined;
  #isSkipped = false;

  /** Ends the wait, or else the next one before it begins. */
  skip(): void {
    this.#isSkipped = true;
    this.#resume?.();
  }

  /** True if somebody ended it. */
  async wait(ms: number): Promise<boolean> {
    if (!this.#isSkipped)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        this.#resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#resume = undefined;
    const wasSkipped = this.#isSkipped;
    this.#isSkipped = false;
    return wasSkipped;
  }
}

const shortestMs = 100;
const longestMs = 10_000;

/** A pause that grows after each failure. */
export class Backoff {
  #failures = 0;

  reset(): void {
    this.#failures = 0;
  }

  next(): number {
    this.#failures += 1;
    return Math.min(longestMs, shortestMs * 2 ** (this.#failures - 1));
  }
}
