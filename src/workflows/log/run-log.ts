// The log of a run. The run's machine writes it. Activities get refs and read the log by them, so that calls do not carry it.
//
// 1. Append-only. An activity's entry keeps the id that its attempt made; all others are `<runId>/<n>`.
// 2. `digest` is the rolling hash of all ids. A worker drops a cache with another digest.
// 3. A page has at most `limits.logPage` bytes of JSON, but one larger entry goes alone. A deflated page has at most `limits.payload`
//    bytes.

import {
  limits,
  type LogEntry,
  type LogPage,
  type LogRef,
  LonghaulError,
  type NewEntry,
} from '../../protocol';
import { controlActivities } from '../activity-proxies';
import { deflateJson, inflated } from '../deflated-json';
import { emptyDigest, extendDigest, utf8Length } from '../../base';
import { endOfPage, pageThatTravels } from '../../core/transcript/log-page';

const rideAlongTotal = 8 * 1024;

/** Names an entry that takes much room. */
export type LargeEntry = {
  readonly kind: LogEntry['kind'];
  readonly turn?: number;
  readonly tool?: string;
  readonly bytes: number;
};

export class RunLog {
  readonly #workflowId: string;
  readonly #runId: string;
  readonly #entries: LogEntry[] = [];
  readonly #sizes: number[] = [];
  #bytes = 0;
  #digest = emptyDigest;
  /** How many entries the refs of model calls have named. */
  #named = 0;
  /** How many ids this log has made. It never gives an id twice, even if the entry is gone. */
  #own: number;
  /** Ids of the entries since the last model call that a worker already has. They need not ride along. */
  readonly #produced = new Set<string>();

  constructor(options: {
    workflowId: string;
    runId: string;
    entries?: readonly LogEntry[];
    minted?: number;
  }) {
    this.#workflowId = options.workflowId;
    this.#runId = options.runId;
    this.#own = options.minted ?? 0;
    for (const entry of options.entries ?? []) this.#append(entry);
    this.#named = this.#entries.length;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** The size of all entries as JSON. */
  get bytes(): number {
    return this.#bytes;
  }

  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  get digest(): string {
    return this.#digest;
  }

  get minted(): number {
    return this.#own;
  }

  /** An activity's event already has its id. The workflow's own event gets one here. */
  add({ id, ...event }: NewEntry): void {
    if (id !== undefined) this.#produced.add(id);
    this.#append({ id: id ?? this.#mint(), ...event });
  }

  /** A ref for a model call. It has the ids since the last call, and the small entries that no worker has. */
  nextRef(): LogRef {
    const tail = this.#entries.slice(this.#named);
    this.#named = this.#entries.length;
    const entries = this.#rideAlong(tail);
    this.#produced.clear();
    return {
      ...this.ref(),
      tail: tail.map((entry) => entry.id),
      ...(entries.length > 0 && { entries }),
    };
  }

  /** A ref to the whole log. */
  ref(): LogRef {
    return {
      workflowId: this.#workflowId,
      runId: this.#runId,
      length: this.#entries.length,
      tail: [],
      digest: this.#digest,
    };
  }

  page(from: number, maxBytes: number = limits.logPage): LogPage {
    return {
      from,
      entries: this.#entries.slice(from, endOfPage(this.#sizes, from, maxBytes)),
      length: this.#entries.length,
      digest: this.#digest,
    };
  }

  deflatedPage(from: number): Uint8Array {
    const page = (maxBytes: number): LogPage => this.page(from, maxBytes);
    return pageThatTravels({ page, deflate: deflateJson });
  }

  /** The largest entries, the largest first. */
  largest(count: number): LargeEntry[] {
    let turns = 0;
    const all = this.#entries.map((entry, index): LargeEntry => {
      if (entry.kind === 'model-turn') turns += 1;
      return {
        kind: entry.kind,
        ...(turns > 0 && { turn: turns }),
        ...(entry.kind === 'tool-result' && { tool: entry.result.name }),
        bytes: this.#sizes[index] ?? 0,
      };
    });
    return all.sort((left, right) => right.bytes - left.bytes).slice(0, count);
  }

  #rideAlong(tail: readonly LogEntry[]): LogEntry[] {
    let room = rideAlongTotal;
    return tail.filter((entry) => {
      if (this.#produced.has(entry.id)) return false;
      const bytes = utf8Length(JSON.stringify(entry));
      if (bytes > limits.rideAlongEntry || bytes > room) return false;
      room -= bytes;
      return true;
    });
  }

  #mint(): string {
    this.#own += 1;
    return `${this.#runId}/${this.#own}`;
  }

  #append(entry: LogEntry): void {
    this.#entries.push(entry);
    const bytes = utf8Length(JSON.stringify(entry));
    this.#sizes.push(bytes);
    this.#bytes += bytes;
    this.#digest = extendDigest(this.#digest, entry.id);
  }
}

/** The entries that this execution got, or reads from the execution before it. */
export async function carriedEntries({
  entries,
  log,
}: {
  readonly entries?: readonly LogEntry[];
  readonly log?: LogRef;
}): Promise<readonly LogEntry[]> {
  if (entries !== undefined) return entries;
  if (log === undefined) throw new LonghaulError('StateError', 'the carried run has no log');
  return await pull(log);
}

async function pull(log: LogRef): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  while (entries.length < log.length) {
    const from = entries.length;
    const bytes = await controlActivities.pullLog({ log, from });
    const page = inflated<LogPage>(bytes, 'a page of the log');
    if (page.from !== from || page.entries.length === 0)
      throw new LonghaulError('StateError', 'the log of the earlier execution ended early');
    entries.push(...page.entries);
  }
  return entries;
}
