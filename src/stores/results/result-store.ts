import { createHash } from 'node:crypto';
import { hasMethods } from '../../base';
import { LonghaulError } from '../../protocol';

/** Names one content by its owner (`scope`) and the SHA-256 of its bytes, in 64 hexadecimal digits. */
export type ResultKey = { readonly scope: string; readonly digest: string };

/** All that one run or thread keeps. */
export type ResultScope = {
  /** The namespace and the workflow id of the root run, or of the thread that the run belongs to: `scopeOf`. */
  readonly scope: string;
  readonly lastWrittenAt: Date;
};

export type ScopePage = {
  /** The last scope of the page before. */
  readonly after?: string;
  readonly limit: number;
};

export type DeleteScopeOptions = {
  /** Deletes nothing if the scope was written to at this time or later, also while it deletes. */
  readonly unlessWrittenSince?: Date;
  /** Deletes only contents that were last written before this time. */
  readonly writtenBefore?: Date;
  /** Digests of contents that stay. */
  readonly except?: readonly string[];
};

/**
 * Keeps large results, inputs and media outside of histories, by their digest. What a run wrote stays at least as long as the run: only
 * `deleteScope` deletes. A run reads only its own scope.
 *
 * Throw `StoreError` with `retryable: false` for an error that a retry does not help. After any other error the call is retried.
 */
export type ResultStore = {
  /**
   * Keeps the bytes. It is safe to repeat. A repeated call replaces the bytes, because encryption makes other bytes each time. A reader
   * never sees half of the bytes.
   */
  put(key: ResultKey, bytes: Uint8Array): Promise<void>;
  /** All bytes, or undefined if the store does not have them. The caller checks the digest. */
  get(key: ResultKey): Promise<Uint8Array | undefined>;
  /** At most `limit` scopes, in any order that stays the same. */
  scopes(page: ScopePage): Promise<readonly ResultScope[]>;
  /** Deletes all contents of a scope, or those that the options select. Returns how many contents it deleted. */
  deleteScope(scope: string, options?: DeleteScopeOptions): Promise<number>;
};

/**
 * The scope of a run: its namespace and the workflow id of its root run, or of its thread. Two namespaces may share a store, and each
 * deletes only its own scopes.
 */
export function scopeOf(namespace: string, workflowId: string): string {
  return `${encodeURIComponent(namespace)}/${workflowId}`;
}

/** The time before which a content must have been written last. Undefined if any may go. */
export function oldEnough(options: DeleteScopeOptions): Date | undefined {
  const { unlessWrittenSince: since, writtenBefore: before } = options;
  if (since === undefined || before === undefined) return since ?? before;
  return since < before ? since : before;
}

/** This content marks a scope: its conversation is also in a memory store. While the mark is there, `collectGarbage` keeps the scope. */
export const memoryMark = Buffer.from(
  'longhaul: a memory store has turns that name these contents\n',
);

/** The name of a scope, for stores of files. The scope may have any length and any characters. */
export function scopeName(scope: string): string {
  return sha256Of(scope);
}

export function sha256Of(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

export function isDigest(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** A digest becomes a part of a path. Throws `StoreError` for any other text. */
export function checkDigest(digest: string): void {
  if (isDigest(digest)) return;
  throw new LonghaulError('StoreError', 'a digest must have 64 hexadecimal digits');
}

/** True for a value that `createWorker` and `connect` take as `results`. */
export function isResultStore(value: unknown): boolean {
  return hasMethods(value, 'put', 'get', 'scopes', 'deleteScope');
}
