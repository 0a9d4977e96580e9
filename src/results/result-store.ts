/** Names one content: whose it is, and the SHA-256 of its bytes in 64 hexadecimal digits. */
export type ResultKey = { readonly scope: string; readonly digest: string };

/** All that one run or thread keeps. `scope` is the workflow id of the root run, or of the thread that the run belongs to. */
export type ResultScope = { readonly scope: string; readonly lastWrittenAt: Date };

/**
 * Keeps large results, inputs and media outside of histories, by their digest. What a run wrote stays at least as long as the run: only
 * `deleteScope` deletes. A run reads only its own scope.
 *
 * Throw `StoreError` with `retryable: false` for an error that a retry does not help. After any other error the call is retried.
 */
export type ResultStore = {
  /** Keeps the bytes. It is safe to repeat: the same key always has the same bytes. A reader never sees half of them. */
  put(key: ResultKey, bytes: Uint8Array): Promise<void>;
  /** All bytes, or undefined if the store does not have them. The caller checks the digest. */
  get(key: ResultKey): Promise<Uint8Array | undefined>;
  /** At most `limit` scopes in the order of their names, after the scope `after`. */
  scopes(page: {
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly ResultScope[]>;
  /** Deletes all that a scope keeps. Returns how many contents it deleted. */
  deleteScope(scope: string): Promise<number>;
};
