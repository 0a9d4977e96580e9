// How a run travels through continue-as-new: as entries and counters. It never carries folded messages beside them.
//
// 1. Always measure the input. If it is too large, it wedges the run, and no code can catch that.
// 2. A log that deflates small enough travels inline. The new execution reads a larger log from the closed one, at once, so that
//    retention does not matter.

import { carriedSessionShape } from './run-session';
import {
  aList,
  anything,
  type Cancelling,
  type ChildView,
  limits,
  type LogEntry,
  type LogRef,
  LonghaulError,
  type Shape,
  stored,
} from '../../protocol';
import { requireFormat, requireShape } from '../../core/stored-format';
import type { StoredMachine } from '../../core/machine/run-state';
import { carriedBudgetShape } from '../../core/budget/budget';
import type { JsonObject } from '../../base';
import type { CarriedSteering } from '../agent/steering';
import { carriedRequestsShape } from '../lifecycle/requests';
import { loadedDefinitionShape } from './load';
import type { CarriedNotice } from '../people/pause-notices';
import { deflateJson, inflated } from '../deflated-json';
import type { CarriedSegments } from '../display/segments';
import type { RunLog } from '../log/run-log';

const format = 1;

/** Where an agent's compaction is. The sizes follow from the log. */
export type CarriedPrompt = {
  /** The provider refused the prompt as too long: a compaction is due, or the run has tried one. */
  readonly refused?: 'due' | 'tried';
  /** The number of turns when a summary failed. */
  readonly failedAt?: number;
};

/** How far the runner itself is. The log travels beside it, or the next execution reads it. */
export type CarriedProgress =
  | {
      readonly machine: StoredMachine;
      /** Only for an agent with a context. */
      readonly prompt?: CarriedPrompt;
      /** Tools that need no approval any more. */
      readonly remembered?: readonly string[];
      readonly plan?: never;
    }
  | {
      readonly plan: JsonObject;
      readonly machine?: never;
      readonly prompt?: never;
      readonly remembered?: never;
    };

/** An orchestration cuts its texts to so many bytes. Their tails stay behind. */
export type ProgressWithin = (textBytes: number) => CarriedProgress;

/** The limits for texts, in the order of tries: the next one is tried if the state does not deflate small enough. */
const textBytes = [limits.result, limits.result / 4, limits.result / 16];

/** Machines and plans check their own state. */
const shape = stored(
  {
    requests: carriedRequestsShape,
    definition: loadedDefinitionShape,
    session: carriedSessionShape,
    budget: carriedBudgetShape,
    children: aList<ChildView>(),
  },
  {
    /** Notices that are not delivered yet. */
    notices: anything<readonly CarriedNotice[]>(),
    /** Only if people sent messages to the run. */
    steering: anything<CarriedSteering>(),
    /** Only with telemetry. */
    segments: anything<CarriedSegments>(),
    /** Nobody needs the result any more. */
    detached: anything<boolean>(),
    /** Who asked to cancel the run, and why, if the cancellation has not arrived yet. */
    cancelling: anything<Cancelling>(),
    entries: anything<readonly LogEntry[]>(),
    log: anything<LogRef>(),
  },
);

/** The whole state of a run. */
export type CarriedRun = CarriedProgress & { readonly format: typeof format } & Shape<typeof shape>;

/** The next execution's state: deflated JSON, measured. */
export function pack(
  {
    progress,
    ...run
  }: { readonly progress: ProgressWithin } & Omit<
    CarriedRun,
    'log' | 'entries' | 'format' | 'machine' | 'prompt' | 'remembered' | 'plan'
  >,
  log: Pick<RunLog, 'entries' | 'bytes' | 'ref'>,
): Uint8Array {
  const deflate = (held: CarriedProgress, entries: Pick<CarriedRun, 'entries' | 'log'>) =>
    deflateJson({ format, ...run, ...held, ...entries } satisfies CarriedRun);
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

const what = "A run's carried state";

/** Synchronous, so that the run knows its questions before it has the log. */
export function unpack(bytes: unknown): CarriedRun {
  const run = inflated<CarriedRun>(bytes, "a run's carried state");
  requireFormat(what, run.format, format);
  requireShape(what, shape, run);
  if (run.machine === undefined && run.plan === undefined)
    throw new LonghaulError('StateError', `${what} is damaged: it has neither machine nor plan`);
  return run;
}
