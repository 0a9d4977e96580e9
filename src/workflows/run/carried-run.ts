// How a run travels through continue-as-new: entries and counters, never folded messages beside them.
//
// 1. Never an unmeasured input: an oversized one wedges the run, uncatchably.
// 2. Small enough after deflation, the log travels inline; else the new execution pulls it from the closed one, at once, so that
//    retention does not matter.

import type { CarriedSession } from './run-session';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type { LogEntry, LogRef } from '../../protocol/log';
import type { StoredMachine } from '../../core/machine/run-state';
import type { CarriedBudget } from '../../core/budget/budget';
import type { JsonObject } from '../../base/json';
import type { ChildView } from '../../protocol/run';
import type { CarriedRequests } from '../execution/pending-requests';
import type { LoadedDefinition } from './load';
import { deflateJson, inflated } from '../deflated-json';
import type { RunLog } from '../execution/run-log';

/** How far the runner itself is. The log stands beside it, or is pulled. */
export type CarriedProgress =
  | { readonly machine: StoredMachine; readonly plan?: never }
  | { readonly plan: JsonObject; readonly machine?: never };

/** Of an orchestration, with texts of so many bytes at most: their tails are left behind. */
export type ProgressWithin = (textBytes: number) => CarriedProgress;

/** No more than a result may have; then less, where it does not deflate. */
const textBytes = [limits.result, limits.result / 4, limits.result / 16];

/** Everything a run holds. */
export type CarriedRun = CarriedProgress & {
  readonly format: 1;
  readonly requests: CarriedRequests;
  readonly definition: LoadedDefinition;
  readonly session: CarriedSession;
  readonly budget: CarriedBudget;
  readonly children: readonly ChildView[];
  /** Nobody needs the result any more. */
  readonly detached?: boolean;
  /** Why it is to be cancelled, when that was asked for and has yet to come. */
  readonly cancelReason?: string;
  readonly entries?: readonly LogEntry[];
  readonly log?: LogRef;
};

/** What the next execution gets: deflated JSON, measured. */
export function pack(
  {
    progress,
    ...run
  }: { readonly progress: ProgressWithin } & Omit<
    CarriedRun,
    'log' | 'entries' | 'format' | 'machine' | 'plan'
  >,
  log: Pick<RunLog, 'entries' | 'bytes' | 'ref'>,
): Uint8Array {
  const deflate = (held: CarriedProgress, entries: Pick<CarriedRun, 'entries' | 'log'>) =>
    deflateJson({ format: 1, ...run, ...held, ...entries } satisfies CarriedRun);
  if (log.bytes <= limits.carriedText) {
    const whole = deflate(progress(limits.result), { entries: log.entries });
    if (whole.length <= limits.carriedLog) return whole;
  }
  let small: Uint8Array = new Uint8Array();
  for (const bytes of textBytes) {
    small = deflate(progress(bytes), { log: log.ref() });
    if (small.length <= limits.carriedLog) return small;
  }
  throw new LonghaulError(
    'TranscriptTooLarge',
    `the run's state has ${small.length} bytes deflated, too many to continue as new: shorten the definition or the session`,
  );
}

/** At once: what was asked is known before the log is there. */
export function unpack(bytes: unknown): CarriedRun {
  const run = inflated<CarriedRun>(bytes, "a run's carried state");
  if (run.format === 1) return run;
  throw new LonghaulError('StateError', `unknown format ${String(run.format)} of a carried run`);
}
