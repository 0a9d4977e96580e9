import { LRUCache } from 'lru-cache';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type { Definition, DefinitionRef } from '../../protocol/spec';
import { hashDefinition } from '../../define/definition';
import { OwnedJson } from '../log/owned-json';
import { SingleFlight } from '../log/single-flight';

/** Asks a run for the definition it pinned. */
export type AskDefinition = () => Promise<Definition | undefined>;

const cachedBytes = 64 * limits.definition;

/**
 * Pinned definitions by hash: a worker that never saw one asks the root run, once per hash. None is kept under a hash that was not
 * computed here: whoever answers for a run is not believed.
 */
export class DefinitionCache {
  readonly #definitions = new LRUCache<string, OwnedJson<Definition>>({
    maxSize: cachedBytes,
    sizeCalculation: (definition) => definition.held,
  });
  readonly #asking = new SingleFlight<Definition>();

  /** Keeps it, and returns its hash. */
  add(definition: Definition): string {
    const hash = hashDefinition(definition);
    const short = hash.slice(0, limits.hashLength);
    if (!this.#definitions.has(short)) this.#definitions.set(short, new OwnedJson(definition));
    return hash;
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
      throw new LonghaulError(
        'InternalError',
        `the run that pinned definition ${ref.hash} does not answer with it`,
        { retryable: true },
      );
    }
    const hash = hashDefinition(definition).slice(0, limits.hashLength);
    if (hash === ref.hash) {
      this.add(definition);
      return definition;
    }
    throw new LonghaulError(
      'StateError',
      `the run that pinned definition ${ref.hash} answers with another one, ${hash}`,
    );
  }
}
