import { LRUCache } from 'lru-cache';
import { InternalError } from '../protocol/error-classes';
import { limits } from '../protocol/limits';
import type { Definition, DefinitionRef } from '../protocol/spec';
import { OwnedJson } from './owned-json';
import { SingleFlight } from './single-flight';

/** Asks a run for the definition it pinned. */
export type AskDefinition = () => Promise<Definition | undefined>;

const cachedBytes = 64 * limits.definition;

/** Pinned definitions by hash: a worker that never saw one asks the topmost run, once per hash. */
export class DefinitionCache {
  readonly #definitions = new LRUCache<string, OwnedJson<Definition>>({
    maxSize: cachedBytes,
    sizeCalculation: (definition) => definition.held,
  });
  readonly #asking = new SingleFlight<Definition>();

  put(hash: string, definition: Definition): void {
    if (!this.#definitions.has(hash)) this.#definitions.set(hash, new OwnedJson(definition));
  }

  /** What this process has; never asks. */
  peek(ref: DefinitionRef): Definition | undefined {
    return this.#definitions.get(ref.hash)?.read();
  }

  async get(ref: DefinitionRef, ask: AskDefinition): Promise<Definition> {
    const known = this.peek(ref);
    if (known !== undefined) return known;
    return await this.#asking.join(ref.hash, () => this.#ask(ref, ask));
  }

  async #ask(ref: DefinitionRef, ask: AskDefinition): Promise<Definition> {
    const definition = await ask();
    if (definition === undefined) {
      throw new InternalError(
        `the run that pinned definition ${ref.hash} does not answer with it`,
        { retryable: true },
      );
    }
    this.put(ref.hash, definition);
    return definition;
  }
}
