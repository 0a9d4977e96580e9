// Caches of JSON values that come from somewhere else.

import { LRUCache } from 'lru-cache';
import { type InputRef, limits, type RunInput } from '../../protocol';

/** The memory that V8 and the cache need for an entry, in addition to its bytes. */
const overhead = 400;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * JSON that a cache keeps, as bytes. A cache must not keep the value itself: a string cut from a longer string keeps all of the longer one
 * in memory, and its size is unknown.
 */
export class OwnedJson<Value> {
  readonly #bytes: Uint8Array;

  constructor(value: Value) {
    this.#bytes = encoder.encode(JSON.stringify(value));
  }

  /** The memory that this takes, in bytes. */
  get held(): number {
    return this.#bytes.byteLength + overhead;
  }

  /** A new copy each time. */
  read(): Value {
    return JSON.parse(decoder.decode(this.#bytes)) as Value;
  }
}

/** Values by key, bounded in bytes. Callers that ask for the same missing key at the same time share one request. */
export class JsonCache<Value> {
  readonly #values: LRUCache<string, OwnedJson<Value>>;
  readonly #requests = new Map<string, Promise<Value>>();

  constructor(maxBytes: number) {
    this.#values = new LRUCache({ maxSize: maxBytes, sizeCalculation: (value) => value.held });
  }

  peek(key: string): Value | undefined {
    return this.#values.get(key)?.read();
  }

  add(key: string, value: Value): void {
    if (!this.#values.has(key)) this.#values.set(key, new OwnedJson(value));
  }

  /** The cached value. If there is none, caches the result of `request`. All callers get its failure, which is not cached. */
  async get(key: string, request: () => Promise<Value>): Promise<Value> {
    const known = this.peek(key);
    if (known !== undefined) return known;
    const running = this.#requests.get(key);
    if (running !== undefined) return await running;
    const own = request();
    this.#requests.set(key, own);
    try {
      const value = await own;
      this.add(key, value);
      return value;
    } finally {
      this.#requests.delete(key);
    }
  }
}

/** Long inputs of children. The branches of a parallel workflow share one input, and this process asks their caller for it only once. */
export class InputCache {
  readonly #inputs = new JsonCache<RunInput['input']>(64 * limits.input);

  async get(
    { workflowId, runId, number }: InputRef,
    request: () => Promise<RunInput['input']>,
  ): Promise<RunInput['input']> {
    return await this.#inputs.get(`${workflowId} ${runId} ${number}`, request);
  }
}
