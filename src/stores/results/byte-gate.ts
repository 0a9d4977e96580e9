/** Lets work begin while all of it together holds no more than so many bytes. The others wait, in the order in which they came. */
export class ByteGate {
  readonly #most: number;
  readonly #waiting: Waiter[] = [];
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Work that needs more than there is has all of it to itself. Rejects with the reason of the signal if that ends the wait. */
  async hold<Result>(
    bytes: number,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const needed = Math.min(bytes, this.#most);
    await this.#enter(needed, signal);
    try {
      return await work();
    } finally {
      this.#held -= needed;
      this.#admit();
    }
  }

  async #enter(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal?.reason as Error);
        this.#admit();
      };
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiter = { bytes, enter };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
  }

  #admit(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (this.#held + next.bytes > this.#most) return;
      this.#waiting.shift();
      this.#held += next.bytes;
      next.enter();
    }
  }
}

type Waiter = { readonly bytes: number; readonly enter: () => void };
