// How a thread travels through continue-as-new: measured, deflated, and within what a payload may hold. Of a conversation that is too
// long the oldest turns stay behind: in the store, where there is one.

import type { CarriedBudget } from '../core/budget';
import { turnsOf } from '../core/memory';
import { LonghaulError } from '../protocol/errors';
import { TranscriptTooLarge } from '../protocol/error-classes';
import type { JsonObject } from '../protocol/json';
import { limits } from '../protocol/limits';
import type { LogEntry } from '../protocol/log';
import type { MemorySpec } from '../protocol/spec';
import { deflateJson } from './deflated-json';
import { inflated } from './inflated';
import type { CarriedBoard } from './run-board';
import type { StoreWrite } from './thread-saves';
import type { CarriedTurns } from './thread-turns';

export type CarriedThread = {
  readonly format: 1;
  readonly board: CarriedBoard;
  readonly turns: CarriedTurns;
  readonly entries: readonly LogEntry[];
  readonly session: JsonObject;
  readonly budget: CarriedBudget;
  readonly memory?: MemorySpec;
  readonly searchAttributes: boolean;
  readonly unsaved: readonly StoreWrite[];
  /** Turns up to this one came before a `clear`. */
  readonly clearedTurns: number;
  readonly isClearing: boolean;
};

export function packThread(thread: Omit<CarriedThread, 'format'>): Uint8Array {
  let entries = newest(thread.entries);
  for (;;) {
    const bytes = deflateJson({ format: 1, ...thread, entries } satisfies CarriedThread);
    if (bytes.length <= limits.carriedLog) return bytes;
    if (entries.length === 0) {
      throw new TranscriptTooLarge(
        `the thread's state has ${bytes.length} bytes deflated; it cannot continue as new`,
      );
    }
    entries = withoutOldest(entries, bytes.length / limits.carriedLog);
  }
}

export function unpackThread(bytes: unknown): CarriedThread {
  const thread = inflated<CarriedThread>(bytes, "a thread's carried state");
  if (thread.format === 1) return thread;
  throw new LonghaulError('StateError', `unknown format ${String(thread.format)} of a thread`);
}

/** As many as can be deflated within a workflow task. */
function newest(entries: readonly LogEntry[]): readonly LogEntry[] {
  for (let kept = entries; ;) {
    const { length } = JSON.stringify(kept);
    if (length <= limits.carriedText) return kept;
    kept = withoutOldest(kept, length / limits.carriedText);
  }
}

/**
 * `excess`: how many times what may stay this is. At least a quarter of the turns go; of summaries the last one stays, and counts from
 * the first turn kept.
 */
function withoutOldest(entries: readonly LogEntry[], excess: number): readonly LogEntry[] {
  const turns = turnsOf(entries);
  if (turns.length === 0) return [];
  const dropped = Math.ceil(turns.length * Math.max(1 / 4, 1 - 1 / excess));
  const gone = new Set(turns.slice(0, dropped).flat());
  const summary = entries.findLast((entry) => entry.kind === 'summary');
  return entries.flatMap((entry): LogEntry[] => {
    if (entry.kind !== 'summary') return gone.has(entry) ? [] : [entry];
    if (entry !== summary) return [];
    return [{ ...entry, turns: Math.max(0, (entry.turns ?? 0) - dropped) }];
  });
}
