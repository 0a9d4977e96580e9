/** Tells all who wait that there may be something new. */
export class News {
  readonly #waiting = new Set<() => void>();

  tell(): void {
    for (const resolve of [...this.#waiting]) resolve();
  }

  /** Resolves with the next news, or when the signal aborts. */
  async next(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener('abort', done);
    });
  }
}
