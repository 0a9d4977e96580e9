// Builds the trace of one run from its decoded events and the traces of the runs below. Pure: reads no server and no clock.

import { addUsage, emptyUsage } from '../../../core/budget/usage';
import { runnerIdOf } from '../../../core/runner-refs';
import type { LoadDefinitionResult } from '../../../protocol/activities';
import { kindOfType, threadType } from '../../../protocol/names';
import type { RunInput, RunStatus } from '../../../protocol/run';
import type { Definition, RunnerSpec } from '../../../protocol/spec';
import { CallsOf, type PendingAttempt } from './calls-of';
import { type PastEvent, spanMs } from './past-event';
import type { RunTrace, TraceCost, TraceSegment, TraceStep } from './run-trace';
import { Segments } from './segments';

/** A run below: its trace, or why nobody read it. */
export type Below = RunTrace | { readonly gap: string } | { readonly cut: 'runs' };

export type PastRun = {
  readonly workflowId: string;
  /** Oldest execution first. */
  readonly executions: readonly (readonly PastEvent[])[];
  /** The activities that are open now, by their ids. */
  readonly pending: ReadonlyMap<string, PendingAttempt>;
  /** By workflow id. */
  readonly children: ReadonlyMap<string, Below>;
  /** What the root run pinned, if it is known. */
  readonly definition?: Definition | undefined;
  /** ISO 8601. */
  readonly now: string;
  readonly gaps: readonly string[];
  readonly cut?: 'events';
};

type CalledRun = Extract<PastEvent, { kind: 'child' }>;

/** `inputPath`: of the run's own inputs. They do not name the turn of a thread. */
type Place = Pick<RunTrace, 'runner' | 'kind' | 'path'> & { readonly inputPath: string };

export function buildTrace(run: PastRun): RunTrace {
  const { workflowId, executions, now, gaps, cut } = run;
  const events = executions.flat();
  const definition = pinnedIn(events) ?? run.definition;
  const { inputPath, ...place } = placeOf(events, definition);
  const closed = events.findLast((event) => event.kind === 'close');
  const startedAt = events[0]?.at ?? now;
  const ms = spanMs(startedAt, closed?.at ?? now);
  const segments = segmentsOf({ ...run, definition }, inputPath);
  const worked = segments.reduce((sum, segment) => sum + segment.ms, 0);
  return {
    workflowId,
    ...place,
    status: closed?.status ?? openStatus(events),
    executions: executions.length,
    startedAt,
    ms,
    pausedMs: Math.max(0, ms - worked),
    ...(closed?.error !== undefined && { error: closed.error }),
    segments,
    ...totalOf(segments.flatMap(({ steps }) => steps)),
    gaps,
    ...(cut && { cut }),
  };
}

/** The definition that the run pinned. Undefined for a run below a root: it uses the definition of the root. */
export function pinnedIn(events: readonly PastEvent[]): Definition | undefined {
  for (const event of events) {
    const result = event.kind === 'end' ? (event.result as LoadDefinitionResult) : undefined;
    if (result?.kind === 'found') return result.definition;
  }
  return undefined;
}

function placeOf(events: readonly PastEvent[], definition?: Definition): Place {
  const { input, type = '' } = events.find((event) => event.kind === 'begin') ?? {};
  const { runner, lineage, thread } = (input ?? {}) as Partial<RunInput>;
  const id = runnerIdOf(runner);
  const inputPath = lineage?.path ?? id;
  const path = thread === undefined ? inputPath : `${id}/turn-${thread.turn}`;
  return { runner: id, kind: kindOf(type, definition?.runners[id]), path, inputPath };
}

/** A run that was started by id has the type of an agent, whatever its runner is. */
function kindOf(type: string, runner: RunnerSpec | undefined): RunTrace['kind'] {
  return type === threadType ? 'thread' : (runner?.kind ?? kindOfType(type) ?? 'agent');
}

function openStatus(events: readonly PastEvent[]): RunStatus {
  return events.findLast((event) => event.kind === 'memo')?.memo.status ?? 'running';
}

function segmentsOf(run: PastRun, path: string): readonly TraceSegment[] {
  const { executions, children, pending, definition, now } = run;
  const segments = new Segments(executions[0]?.[0]?.at ?? now, path);
  for (const events of executions) {
    const calls = new CallsOf(events, { pending, definition, now });
    for (const event of events) {
      segments.see(event);
      if (event.kind === 'child') segments.add(childOf(event, children.get(event.workflowId)));
      if (event.kind === 'activity') segments.add(...calls.steps(event));
    }
  }
  return segments.end(now);
}

/** A run that nobody read has only what its caller knows. */
function childOf(event: CalledRun, below: Below | undefined): TraceStep {
  if (below !== undefined && 'segments' in below) return { kind: 'run', run: below };
  const begun = { ...event, kind: 'begin', type: event.name } as const;
  const { inputPath: _, ...place } = placeOf([begun]);
  const run: RunTrace = {
    workflowId: event.workflowId,
    ...place,
    status: 'loading',
    executions: 0,
    startedAt: event.at,
    ms: 0,
    pausedMs: 0,
    segments: [],
    usage: emptyUsage,
    gaps: below !== undefined && 'gap' in below ? [below.gap] : [],
    ...(below !== undefined && 'cut' in below && { cut: below.cut }),
  };
  return { kind: 'run', run };
}

function totalOf(steps: readonly TraceStep[]): Pick<RunTrace, 'usage' | 'costUsd'> {
  let usage = emptyUsage;
  let costUsd: number | undefined;
  for (const step of steps) {
    const spent = spentIn(step);
    if (spent.usage !== undefined) usage = addUsage(usage, spent.usage);
    if (spent.costUsd !== undefined) costUsd = (costUsd ?? 0) + spent.costUsd;
  }
  return { usage, ...(costUsd !== undefined && { costUsd }) };
}

function spentIn(step: TraceStep): TraceCost {
  if (step.kind === 'run') return step.run;
  return step.kind === 'chat' || step.kind === 'summary' ? step : {};
}
