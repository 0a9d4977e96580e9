// What models were given of calls that have another result each time. What a run keeps of them, its model must have been given.

import { isRoll } from './texts.mts';

type Told = { readonly role: string; readonly text: string };

export class Rolls {
  /** By agent: the rolls of each prompt, as one text. */
  readonly #given = new Map<string, Set<string>>();

  see(agent: string, said: readonly Told[]): void {
    const given = this.#given.get(agent) ?? new Set();
    this.#given.set(agent, given.add(textOf(said)));
  }

  /** What is wrong with the rolls of a conversation that has ended. */
  problem(agent: string, said: readonly Told[]): string | undefined {
    const given = this.#given.get(agent) ?? new Set();
    const step = said.findIndex(
      ({ role }, index) => role === 'assistant' && !given.has(textOf(said.slice(0, index))),
    );
    if (step < 0) return undefined;
    return `the model of ${agent} was given other results than the run keeps: ${textOf(said.slice(0, step))}`;
  }
}

const textOf = (said: readonly Told[]): string =>
  said.flatMap(({ text }) => (isRoll(text) ? [text] : [])).join('; ');
