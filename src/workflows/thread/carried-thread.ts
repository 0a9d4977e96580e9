// How a thread travels through continue-as-new: within one payload, whatever it holds.
//
// 1. The conversation, the waiting messages, the unsaved turns and the listed turns have a size limit each, so that none takes room from
//    another.
// 2. What was said travels with the rest, or, where both together are too much, is pulled from the closed execution's log, at once.
// 3. If the conversation is over its limit, the oldest turns are left behind, and the thread's state says so.

import type { CarriedBudget } from '../../core/budget/budget';
import { turnsOf } from '../../core/transcript/memory';
import { utf8Length } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { LogEntry, LogRef } from '../../protocol/log';
import type { MemorySpec } from '../../protocol/spec';
import type { ThreadInput } from '../../protocol/thread';
import { deflateJson, inflated } from '../deflated-json';
import type { CarriedRequests } from '../execution/pending-requests';
import type { RunLog } from '../execution/run-log';
import type { CarriedSaves } from './thread-saves';
import type { CarriedTurns } from './thread-turns';

export type CarriedThread = {
  readonly format: 1;
  readonly requests: CarriedRequests;
  readonly turns: CarriedTurns;
  readonly session: JsonObject;
  readonly budget: CarriedBudget;
  readonly memory?: MemorySpec;
  readonly searchAttributes: boolean;
  readonly saves: CarriedSaves;
  readonly isClearing: boolean;
  /** Of the `clear` that came last: sent again, it is the same. */
  readonly lastClear?: string;
  /** What was said, or where it stands, if it is too much beside the rest. */
  readonly entries?: readonly LogEntry[];
  readonly log?: LogRef;
};

/** `input` travels along: what the next execution is started with is one payload to the server. */
export function packThread(
  input: ThreadInput,
  thread: Omit<CarriedThread, 'format' | 'entries' | 'log'>,
  log: Pick<RunLog, 'entries' | 'ref'>,
): Uint8Array {
  const answered = newestAnswers(thread.requests.answered);
  const rest = { format: 1 as const, ...thread, requests: { ...thread.requests, answered } };
  const whole = deflateJson({ ...rest, entries: log.entries } satisfies CarriedThread);
  if (utf8Length(JSON.stringify(input)) + whole.length <= limits.payload) return whole;
  return deflateJson({ ...rest, log: log.ref() } satisfies CarriedThread);
}

export function unpackThread(bytes: unknown): CarriedThread {
  const thread = inflated<CarriedThread>(bytes, "a thread's carried state");
  if (thread.format === 1) return thread;
  throw new LonghaulError('StateError', `unknown format ${String(thread.format)} of a thread`);
}

/**
 * As much of what was said as a thread remembers: what can be deflated within a workflow task, and travels then. The oldest turns go, at
 * least a quarter at a time; of summaries the last one stays, and counts from the first turn kept.
 */
export function rememberable(entries: readonly LogEntry[]): readonly LogEntry[] {
  let kept = entries;
  for (;;) {
    const excess = excessOf(kept);
    if (excess <= 1 || kept.length === 0) return kept;
    kept = withoutOldest(kept, excess);
  }
}

/** How many times what may stay this is. */
function excessOf(entries: readonly LogEntry[]): number {
  const text = utf8Length(JSON.stringify(entries));
  if (text > limits.carriedText) return text / limits.carriedText;
  if (text <= limits.carriedLog) return 0;
  return deflateJson(entries).length / limits.carriedLog;
}

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

function newestAnswers(answered: CarriedRequests['answered']): CarriedRequests['answered'] {
  let bytes = 0;
  const last = answered.findLastIndex((answer) => {
    bytes += utf8Length(JSON.stringify(answer));
    return bytes > limits.threadAnswersBytes;
  });
  return answered.slice(last + 1);
}
