/** Of those who ask for the same thing at the same time one asks, and all get the answer. A failure is everybody's, too. */
export class SingleFlight<Answer> {
  readonly #asking = new Map<string, Promise<Answer>>();

  async join(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asking = this.#asking.get(key) ?? ask();
    this.#asking.set(key, asking);
    try {
      return await asking;
    } finally {
      this.#asking.delete(key);
    }
  }
}
