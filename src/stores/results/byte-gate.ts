/** Lets work begin while all running work together holds at most this many bytes. Other work waits, in the order of arrival. */
export class ByteGate {
  readonly #most: number;
  readonly #waiting: Waiter[] = [];
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Work that needs more bytes than the limit runs alone. Rejects with the reason of the signal if the signal ends the wait. */
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
