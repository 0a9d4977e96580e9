// A worker process's copy of the logs of its runs, so that no activity input carries a transcript.
//
// 1. An entry that this process made waits in a bounded pool until a ref names its place. A lost attempt's entry never gets one.
// 2. A log is used only if the rolling digest of its ids equals the ref's. Otherwise it is dropped and read again from the run.
// 3. One read per log at a time: two at once would corrupt it.
// 4. Its size is bounded in bytes. Evicted entries are read again: correctness never depends on a hit.

import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { emptyDigest, extendDigest } from '../../base';
import { limits, type LogEntry, type LogPage, type LogRef, LonghaulError } from '../../protocol';
import { OwnedJson } from './json-cache';

/** Reads one page of a run's log, from entry `from` on. */
export type ReadPage = (from: number) => Promise<LogPage>;

type KeptEntry = OwnedJson<LogEntry>;

type CachedLog = { readonly entries: KeptEntry[]; readonly digests: string[]; bytes: number };

export type LogCacheStatistics = { hits: number; pagesRead: number; diverged: number };

/** The id of a new entry. It is random, so that an entry of a lost attempt, or from before a reset, is never taken for the real one. */
export function mintId(): string {
  return randomBytes(6).toString('base64url');
}

export class LogCache {
  readonly statistics: LogCacheStatistics = { hits: 0, pagesRead: 0, diverged: 0 };
  readonly #logs: LRUCache<string, CachedLog>;
  readonly #pool: LRUCache<string, KeptEntry>;
  readonly #hydrations = new Map<string, Promise<unknown>>();

  readonly #onRead: (from: 'cache' | 'run') => void;

  /** `maxBytes` bounds the logs. Entries without a place may take a quarter of it more. Calls `onRead` for each log that it reads. */
  constructor(
    maxBytes: number = limits.logCacheBytes,
    onRead: (from: 'cache' | 'run') => void = () => undefined,
  ) {
    this.#onRead = onRead;
    this.#logs = new LRUCache({ maxSize: maxBytes });
    this.#pool = new LRUCache({
      max: limits.logCachePoolEntries,
      maxSize: Math.max(1, Math.floor(maxBytes / 4)),
      sizeCalculation: (entry) => entry.held,
    });
  }

  /** Keeps an entry that this process made until a ref names its place. */
  offer(workflowId: string, entry: LogEntry): void {
    this.#pool.set(poolKey(workflowId, entry.id), new OwnedJson(entry));
  }

  /** The first `ref.length` entries of the log, from memory or from the run. */
  read(ref: LogRef, readPage: ReadPage): Promise<readonly LogEntry[]> {
    const earlier = this.#hydrations.get(ref.workflowId) ?? Promise.resolve();
    const reading = earlier.then(() => this.#hydrate(ref, readPage));
    const settled = reading.catch(() => undefined);
    this.#hydrations.set(ref.workflowId, settled);
    void settled.then(() => {
      if (this.#hydrations.get(ref.workflowId) === settled) this.#hydrations.delete(ref.workflowId);
    });
    return reading;
  }

  /** How many entries of this run's log are in memory. */
  held(workflowId: string): number {
    return this.#logs.get(workflowId)?.entries.length ?? 0;
  }

  async #hydrate(ref: LogRef, readPage: ReadPage): Promise<readonly LogEntry[]> {
    const cached = this.#logs.get(ref.workflowId) ?? emptyLog();
    try {
      this.#place(cached, ref);
      const isHit = matches(cached, ref);
      this.#onRead(isHit ? 'cache' : 'run');
      if (isHit) this.statistics.hits += 1;
      else if (!(await this.#fill(cached, ref, readPage))) {
        this.statistics.diverged += 1;
        truncate(cached, 0);
        if (!(await this.#fill(cached, ref, readPage))) throw unreadable(ref);
      }
      return cached.entries.slice(0, ref.length).map((entry) => entry.read());
    } finally {
      this.#keep(ref.workflowId, cached);
    }
  }

  /** Stores a new object, because the cache does not measure the same object again. Also keeps the pages of a failed read. */
  #keep(workflowId: string, cached: CachedLog): void {
    this.#logs.set(workflowId, { ...cached }, { size: Math.max(1, cached.bytes) });
  }

  /** Places the entries of the ref's tail that are in the pool or in the ref. */
  #place(cached: CachedLog, ref: LogRef): void {
    const start = ref.length - ref.tail.length;
    ref.tail.forEach((id, offset) => {
      const position = start + offset;
      if (position !== cached.entries.length) return;
      const key = poolKey(ref.workflowId, id);
      const rodeAlong = ref.entries?.find((candidate) => candidate.id === id);
      const entry = rodeAlong === undefined ? this.#pool.get(key) : new OwnedJson(rodeAlong);
      if (entry === undefined) return;
      append(cached, id, entry);
      this.#pool.delete(key);
    });
  }

  async #fill(cached: CachedLog, ref: LogRef, readPage: ReadPage): Promise<boolean> {
    while (cached.entries.length < ref.length) {
      const from = cached.entries.length;
      const page = await readPage(from);
      this.statistics.pagesRead += 1;
      if (page.from !== from || page.entries.length === 0) return false;
      page.entries.forEach((entry) => append(cached, entry.id, new OwnedJson(entry)));
    }
    return matches(cached, ref);
  }
}

function emptyLog(): CachedLog {
  return { entries: [], digests: [], bytes: 0 };
}

function append(cached: CachedLog, id: string, entry: KeptEntry): void {
  cached.digests.push(extendDigest(cached.digests.at(-1) ?? emptyDigest, id));
  cached.entries.push(entry);
  cached.bytes += entry.held;
}

function truncate(cached: CachedLog, length: number): void {
  cached.entries.length = length;
  cached.digests.length = length;
  cached.bytes = cached.entries.reduce((sum, entry) => sum + entry.held, 0);
}

function matches(cached: CachedLog, ref: LogRef): boolean {
  if (cached.entries.length < ref.length) return false;
  return ref.length === 0 || cached.digests[ref.length - 1] === ref.digest;
}

function poolKey(workflowId: string, entryId: string): string {
  return `${entryId} ${workflowId}`;
}

function unreadable(ref: LogRef): LonghaulError {
  return new LonghaulError(
    'InternalError',
    `the log of run '${ref.workflowId}' could not be read up to entry ${ref.length}; the call is retried`,
    { retryable: true },
  );
}
