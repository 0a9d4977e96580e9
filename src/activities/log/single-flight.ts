/** Of those who ask for the same thing at the same time one asks, and all get the answer. A failure is everybody's, too. Nothing is kept after it. */
export class SingleFlight<Answer> {
  readonly #asking = new Map<string, Promise<Answer>>();

  async join(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asking = this.#asking.get(key);
    if (asking !== undefined) return await asking;
    const own = ask();
    this.#asking.set(key, own);
    try {
      return await own;
    } finally {
      this.#asking.delete(key);
    }
  }
}
