// How a thread travels through continue-as-new: always within one payload.
//
// 1. The conversation, the waiting messages, the unsaved turns and the listed turns each have their own size limit, so that they take no
//    room from one another.
// 2. The conversation travels with the rest. If both together are too large, the next execution reads it from the closed execution's log,
//    at once.
// 3. If the conversation is over its limit, the oldest turns stay behind, and the thread's state lists that.

import { carriedBudgetShape } from '../../core/budget/budget';
import { requireFormat, requireShape } from '../../core/stored-format';
import { turnsOf } from '../../core/transcript/memory';
import { utf8Length } from '../../base';
import {
  anything,
  type ContextSpec,
  flag,
  jsonObject,
  limits,
  type LogEntry,
  type LogRef,
  type MemorySpec,
  type Shape,
  stored,
  type ThreadInput,
  type WorkerHook,
} from '../../protocol';
import { deflateJson, inflated } from '../deflated-json';
import { type CarriedRequests, carriedRequestsShape } from '../lifecycle/requests';
import type { RunLog } from '../log/run-log';
import { type CarriedStores, carriedStoresShape } from './thread-stores';
import { carriedTurnsShape } from './thread-turns';

const format = 1 as const;

const shape = stored(
  {
    requests: carriedRequestsShape,
    turns: carriedTurnsShape,
    session: jsonObject,
    budget: carriedBudgetShape,
    searchAttributes: flag,
    isClearing: flag,
  },
  {
    memory: anything<MemorySpec>(),
    context: anything<ContextSpec>(),
    hooks: anything<readonly WorkerHook[]>(),
    /** The update id of the last `clear`. The same id again is the same `clear`. */
    lastClear: anything<string>(),
    /** The conversation, or where to read it if it is too large to travel with the rest. */
    entries: anything<readonly LogEntry[]>(),
    log: anything<LogRef>(),
  },
);

export type CarriedThread = { readonly format: typeof format } & Shape<typeof shape> &
  CarriedStores;

/** `input` counts too: the server takes everything that the next execution starts with as one payload. */
export function packThread(
  input: ThreadInput,
  thread: Omit<CarriedThread, 'format' | 'entries' | 'log'>,
  log: Pick<RunLog, 'entries' | 'ref'>,
): Uint8Array {
  const answered = newestAnswers(thread.requests.answered);
  const rest = { format, ...thread, requests: { ...thread.requests, answered } };
  const whole = deflateJson({ ...rest, entries: log.entries } satisfies CarriedThread);
  if (utf8Length(JSON.stringify(input)) + whole.length <= limits.payload) return whole;
  return deflateJson({ ...rest, log: log.ref() } satisfies CarriedThread);
}

const what = "A thread's carried state";

export function unpackThread(bytes: unknown): CarriedThread {
  const thread = inflated<CarriedThread>(bytes, "a thread's carried state");
  requireFormat(what, thread.format, format);
  requireShape(what, shape, thread);
  requireShape(what, carriedStoresShape, thread);
  return thread;
}

/**
 * The part of the conversation that a thread remembers. It must deflate within a workflow task and then travel. The oldest turns go, at
 * least a quarter at a time. Only the last summary stays, and it counts from the first kept turn.
 */
export function rememberable(entries: readonly LogEntry[]): readonly LogEntry[] {
  let kept = entries;
  for (;;) {
    const excess = excessOf(kept);
    if (excess <= 1 || kept.length === 0) return kept;
    kept = withoutOldest(kept, excess);
  }
}

/** How many times the limit the entries take. */
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
    return [{ ...entry, through: Math.max(0, entry.through - dropped) }];
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
