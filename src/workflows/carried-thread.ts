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
import { deflateJson, inflateJson } from './deflated-json';
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
  for (let { entries } = thread; ; entries = withoutOldest(entries)) {
    const bytes = deflateJson({ format: 1, ...thread, entries } satisfies CarriedThread);
    if (bytes.length <= limits.carriedLog) return bytes;
    if (entries.length > 0) continue;
    throw new TranscriptTooLarge(
      `the thread's state has ${bytes.length} bytes deflated; it cannot continue as new`,
    );
  }
}

export function unpackThread(bytes: Uint8Array): CarriedThread {
  const thread = inflateJson<CarriedThread>(bytes);
  if (thread.format === 1) return thread;
  throw new LonghaulError('StateError', `unknown format ${String(thread.format)} of a thread`);
}

/** A quarter of the turns; a summary of what is dropped counts from the first one kept. */
function withoutOldest(entries: readonly LogEntry[]): LogEntry[] {
  const turns = turnsOf(entries);
  const dropped = Math.max(1, Math.ceil(turns.length / 4));
  const gone = new Set(turns.slice(0, dropped).flat());
  return entries.flatMap((entry): LogEntry[] => {
    if (gone.has(entry)) return [];
    if (entry.kind !== 'summary') return [entry];
    return [{ ...entry, turns: Math.max(0, (entry.turns ?? 0) - dropped) }];
  });
}
