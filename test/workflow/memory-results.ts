import type { ResultKey, ResultScope, ResultStore } from '../../src/stores/results/result-store';

/** A result store in memory, with the faults that a test asks for. */
export class MemoryResults implements ResultStore {
  readonly contents = new Map<string, Map<string, Uint8Array>>();
  readonly counts = { put: 0, get: 0 };
  /** Called before each call; throws for a store that is down. */
  fault: (call: 'put' | 'get') => void = () => undefined;

  put({ scope, digest }: ResultKey, bytes: Uint8Array): Promise<void> {
    return this.#call('put', () => {
      const kept = this.contents.get(scope) ?? new Map<string, Uint8Array>();
      this.contents.set(scope, kept.set(digest, Uint8Array.from(bytes)));
    });
  }

  get({ scope, digest }: ResultKey): Promise<Uint8Array | undefined> {
    return this.#call('get', () => this.contents.get(scope)?.get(digest));
  }

  scopes(): Promise<readonly ResultScope[]> {
    const lastWrittenAt = new Date(0);
    return Promise.resolve([...this.contents.keys()].map((scope) => ({ scope, lastWrittenAt })));
  }

  deleteScope(scope: string): Promise<number> {
    const { size = 0 } = this.contents.get(scope) ?? {};
    this.contents.delete(scope);
    return Promise.resolve(size);
  }

  /** Replaces every content; `undefined` loses it. */
  change(replace: (bytes: Uint8Array) => Uint8Array | undefined): void {
    for (const kept of this.contents.values())
      for (const [digest, bytes] of kept) {
        const other = replace(bytes);
        if (other === undefined) kept.delete(digest);
        else kept.set(digest, other);
      }
  }

  #call<Result>(call: 'put' | 'get', work: () => Result): Promise<Result> {
    this.counts[call] += 1;
    return new Promise((resolve) => {
      this.fault(call);
      resolve(work());
    });
  }
}
