import { LRUCache } from 'lru-cache';
import { limits } from '../../protocol/limits';
import type { InputRef, RunInput } from '../../protocol/run';
import { OwnedJson } from './owned-json';
import { SingleFlight } from './single-flight';

type Input = RunInput['input'];

const cachedBytes = 64 * limits.input;

/** Long inputs of children: the branches of a parallel share one, and this process asks their caller for it once. */
export class InputCache {
  readonly #inputs = new LRUCache<string, OwnedJson<Input>>({
    maxSize: cachedBytes,
    sizeCalculation: (input) => input.held,
  });
  readonly #asking = new SingleFlight<Input>();

  async get(ref: InputRef, ask: () => Promise<Input>): Promise<Input> {
    const key = `${ref.workflowId} ${ref.runId} ${ref.number}`;
    const known = this.#inputs.get(key);
    if (known !== undefined) return known.read();
    return await this.#asking.join(key, async () => {
      const input = await ask();
      this.#inputs.set(key, new OwnedJson(input));
      return input;
    });
  }
}
