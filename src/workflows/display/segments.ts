// Reports the parts of a run between its pauses, as spans of a trace. Only for a run on a worker with telemetry.
//
// 1. A segment leaves the workflow through a sink, which no replay calls. Nothing of it enters history.
// 2. Ids derive from the first execution, so that they are the same after continue-as-new, and for everybody who names them.
// 3. Later segments are below the first one, because that is known from the start.

import { proxySinks, workflowInfo, type WorkflowInfo } from '@temporalio/workflow';
import { defined, hashOf } from '../../base';
import {
  derivedTrace,
  type EndedSegment,
  hasEnded,
  readTraceparent,
  type RunSpend,
  type RunStatus,
  type TelemetrySinks,
  type Traced,
  type TraceParent,
  traceparent,
} from '../../protocol';

const { longhaulTelemetry } = proxySinks<TelemetrySinks>();

/** What survives continue-as-new. `since`: when the last segment began, or the pause after it. */
export type CarriedSegments = Pick<EndedSegment, 'number' | 'pausedMs'> & {
  readonly since: number;
};

type SegmentInfo = Pick<WorkflowInfo, 'workflowId' | 'firstExecutionRunId' | 'parent' | 'root'>;

/** The facts about the run that each segment has. */
export type SegmentRun = Pick<
  EndedSegment,
  'kind' | 'runner' | 'path' | 'root' | 'thread' | 'definition'
>;

type Facts = {
  readonly run: SegmentRun;
  /** W3C `traceparent` from the caller. */
  readonly trace: string | undefined;
  readonly isRoot: boolean;
  readonly startedAt: number;
};

type Now = Pick<EndedSegment, 'status'> & {
  readonly spend: RunSpend | undefined;
  readonly error?: string | undefined;
};

export class Segments {
  readonly #run: SegmentRun;
  readonly #above: TraceParent;
  readonly #origin: string;
  #number = 1;
  /** When the segment began, or the pause after it. */
  #since: number;
  #pausedMs: number | undefined;
  #isPaused = false;
  #isOver = false;

  constructor(info: SegmentInfo, { run, trace, isRoot, startedAt }: Facts) {
    this.#run = run;
    this.#above = readTraceparent(trace) ?? ownTrace(info, isRoot && run.thread === undefined);
    this.#origin = `${info.workflowId} ${info.firstExecutionRunId}`;
    this.#since = startedAt;
  }

  /** Continues where the execution before this one stopped. */
  restore({ number, since, pausedMs }: CarriedSegments, status: RunStatus): void {
    this.#number = number;
    this.#since = since;
    this.#pausedMs = pausedMs;
    this.#isPaused = status === 'needs-input';
  }

  carry(): CarriedSegments {
    return { number: this.#number, since: this.#since, ...defined({ pausedMs: this.#pausedMs }) };
  }

  /** The span that calls and children of the run are below. */
  get traced(): Required<Traced> {
    return { trace: traceparent({ ...this.#above, spanId: this.#spanOf(this.#number) }) };
  }

  /** Reports a segment when the run pauses or ends. */
  follow(now: Now): void {
    const isPaused = now.status === 'needs-input';
    if (this.#isOver) return;
    if (hasEnded(now.status)) {
      this.#isOver = true;
      if (this.#isPaused) this.#resume();
      this.#report(now);
    } else if (isPaused && !this.#isPaused) {
      this.#report(now);
      this.#since = Date.now();
    } else if (!isPaused && this.#isPaused) {
      this.#resume();
    }
    this.#isPaused = isPaused;
  }

  #resume(): void {
    this.#number += 1;
    this.#pausedMs = Date.now() - this.#since;
    this.#since = Date.now();
  }

  #report({ status, error, spend }: Now): void {
    if (workflowInfo().unsafe.isReplaying) return;
    const isFirst = this.#number === 1;
    longhaulTelemetry.segment({
      ...this.#run,
      span: this.#spanOf(this.#number),
      above: traceparent(isFirst ? this.#above : { ...this.#above, spanId: this.#spanOf(1) }),
      number: this.#number,
      startedAt: this.#since,
      endedAt: Date.now(),
      status,
      ...defined({ error, spend, pausedMs: this.#pausedMs }),
    });
  }

  #spanOf(number: number): string {
    return hashOf(`segment ${number} ${this.#origin}`);
  }
}

/** Runs that one workflow of the user starts are in one trace, below that workflow. */
function ownTrace(info: SegmentInfo, isTop: boolean): TraceParent {
  const { workflowId, firstExecutionRunId, parent, root = parent } = info;
  if (!isTop || parent === undefined) return derivedTrace(`${workflowId} ${firstExecutionRunId}`);
  return { ...callerTrace({ ...parent, root }), spanId: callerSpan(parent) };
}

type ExecutionName = { readonly workflowId: string; readonly runId: string };

/** The span of a user's own workflow that starts runs. */
export function callerSpan(execution: ExecutionName): string {
  return hashOf(`workflow ${nameOf(execution)}`);
}

/** The trace of a user's own workflow without a trace from its caller. */
export function callerTrace(
  info: ExecutionName & { readonly root?: ExecutionName | undefined },
): TraceParent {
  return derivedTrace(nameOf(info.root ?? info));
}

function nameOf({ workflowId, runId }: ExecutionName): string {
  return `${workflowId} ${runId}`;
}
