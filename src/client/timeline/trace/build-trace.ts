// Builds the trace of one run from its steps and the traces of the runs below. Reads no server and no clock.

import { defined } from '../../../base';
import { addUsage, emptyUsage } from '../../../core/budget/usage';
import { runnerIdOf } from '../../../core/runner-refs';
import {
  type Definition,
  kindOfType,
  type LoadDefinitionResult,
  type RunInput,
  threadType,
} from '../../../protocol';
import type { Decoder } from '../payloads';
import { outcomesIn, type Step } from '../steps';
import { type PendingAttempt, stepsOfCall } from './calls-of';
import type { RunTrace, TraceCost, TraceStep } from './run-trace';
import { Segments, spanMs } from './segments';

/** A run below: its trace, or why nobody read it. */
export type Below = RunTrace | { readonly gap: string } | { readonly cut: 'runs' };

export type PastRun = {
  readonly workflowId: string;
  /** Oldest execution first. */
  readonly executions: readonly (readonly Step[])[];
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

/** `inputPath`: of the run's own inputs. They do not name the turn of a thread. */
type Place = Pick<RunTrace, 'runner' | 'kind' | 'path'> & { readonly inputPath: string };

/** Activities that give the pinned definition. */
const loadsDefinition: ReadonlySet<string> = new Set(['loadDefinition', 'findDefinition']);

type End = Pick<RunTrace, 'status' | 'error'>;

/** Decodes only what a trace shows. */
export async function buildTrace(run: PastRun, decoder: Decoder): Promise<RunTrace> {
  const { workflowId, executions, children, now, definition } = run;
  const steps = executions.flat();
  const begun = steps.find((step) => step.kind === 'begin');
  const closed = steps.findLast((step) => step.kind === 'close');
  const input = await decoder.value(begun?.input);
  const { inputPath, ...place } = placeOf(begun?.type ?? '', input, definition);
  const startedAt = steps[0]?.at ?? now;
  const ms = spanMs(startedAt, closed?.at ?? now);
  const builder = new Segments(startedAt, inputPath, decoder);
  for (const execution of executions) {
    const outcomes = outcomesIn(execution);
    const closedAt = execution.findLast((step) => step.kind === 'close')?.at;
    const context = { ...run, decoder, closedAt };
    for (const step of execution) {
      await builder.see(step);
      if (step.kind === 'child')
        builder.add(await childOf(step, children.get(step.workflowId), decoder));
      if (step.kind === 'activity')
        builder.add(...(await stepsOfCall(step, outcomes.get(step.id), context)));
    }
  }
  const segments = builder.end(now);
  const worked = segments.reduce((sum, segment) => sum + segment.ms, 0);
  const { status, error }: End = closed ? await endOf(closed, decoder) : builder;
  return {
    workflowId,
    ...place,
    status,
    executions: executions.length,
    startedAt,
    ms,
    pausedMs: Math.max(0, ms - worked),
    ...defined({ error }),
    segments,
    ...totalOf(segments.flatMap(({ steps }) => steps)),
    gaps: [...run.gaps, ...decoder.gaps],
    ...defined({ cut: run.cut }),
  };
}

/** The definition that the run pinned. Undefined for a run below a root: it uses the definition of the root. */
export async function pinnedIn(
  steps: readonly Step[],
  decoder: Decoder,
): Promise<Definition | undefined> {
  const loads = new Set<number>();
  for (const step of steps) {
    if (step.kind === 'activity' && loadsDefinition.has(step.name)) loads.add(step.id);
    if (step.kind !== 'end' || !loads.has(step.call)) continue;
    const result = (await decoder.value(step.result)) as LoadDefinitionResult | undefined;
    if (result?.kind === 'found') return result.definition;
  }
  return undefined;
}

async function endOf(closed: Step<'close'>, decoder: Decoder): Promise<End> {
  switch (closed.status) {
    case 'completed':
    case 'cancelled':
      return { status: closed.status };
    case 'terminated':
      return { status: 'failed', error: `terminated: ${closed.reason}` };
    case 'timed-out':
      return { status: 'failed', error: 'timed out' };
    case 'failed':
      return { status: 'failed', error: (await decoder.text(closed.failure)) ?? 'failed' };
  }
}

function placeOf(type: string, input: unknown, definition?: Definition): Place {
  const { runner, lineage, thread } = (input ?? {}) as Partial<RunInput>;
  const id = runnerIdOf(runner);
  const inputPath = lineage?.path ?? id;
  const path = thread === undefined ? inputPath : `${id}/turn-${thread.turn}`;
  // A run that was started by id has the type of an agent, whatever its runner is.
  const runnerKind = definition?.runners[id]?.kind ?? kindOfType(type) ?? 'agent';
  return { runner: id, kind: type === threadType ? 'thread' : runnerKind, path, inputPath };
}

/** A run that nobody read has only what its caller knows. */
async function childOf(
  { name, workflowId, input, at }: Step<'child'>,
  below: Below | undefined,
  decoder: Decoder,
): Promise<TraceStep> {
  if (below !== undefined && 'segments' in below) return { kind: 'run', run: below };
  const { inputPath: _, ...place } = placeOf(name, await decoder.value(input));
  const run: RunTrace = {
    workflowId,
    ...place,
    status: 'loading',
    executions: 0,
    startedAt: at,
    ms: 0,
    pausedMs: 0,
    segments: [],
    usage: emptyUsage,
    gaps: [],
    ...(below && 'gap' in below ? { gaps: [below.gap] } : below),
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
  return { usage, ...defined({ costUsd }) };
}

function spentIn(step: TraceStep): TraceCost {
  if (step.kind === 'run') return step.run;
  return step.kind === 'chat' || step.kind === 'summary' ? step : {};
}
