// What a run returns: to who started it the session, to who called it the changes of it and the spend. Pure.
//
// 1. Either is within its limit: see `fit-result`.

import type { RunBudget } from '../../core/budget/budget';
import type { PlanResult } from '../../core/orchestration/plan';
import { sessionDelta } from '../../core/session';
import { limits } from '../../protocol/limits';
import type { AgentRunResult, ChildResult } from '../../protocol/run';
import type { RunnerSpec } from '../../protocol/spec';
import type { TurnFacts } from './driver';
import { fitResult } from './fit-result';
import type { RunSession } from './run-session';

type Ended = {
  readonly runId: string;
  readonly kind: RunnerSpec['kind'];
  readonly budget: RunBudget;
  readonly session: RunSession;
};

export function runResult(
  planned: PlanResult,
  ended: Ended & {
    /** Of a turn of a thread. */
    readonly turnFacts: TurnFacts | undefined;
  },
): AgentRunResult {
  const { budget, session, turnFacts } = ended;
  const { usage, costUsd } = budget.spend;
  const result = {
    ...withWarnings(planned, budget),
    usage,
    ...(costUsd !== undefined && { costUsd }),
    session: session.value,
    ...turnFacts,
  };
  return fitResult(result, { maxBytes: limits.result, source: sourceOf(ended) });
}

export function childResult(planned: PlanResult, ended: Ended): ChildResult {
  const { budget, session } = ended;
  const result = {
    ...withWarnings(planned, budget),
    delta: sessionDelta(session.initial, session.value),
    spend: budget.spend,
  };
  return fitResult(result, { maxBytes: limits.childResult, source: sourceOf(ended) });
}

function withWarnings(planned: PlanResult, { spend, hasCostLimit }: RunBudget): PlanResult {
  const notCounted = hasCostLimit ? (spend.unpriced ?? []) : [];
  const warnings = [
    ...(planned.warnings ?? []),
    ...notCounted.map((model) => `the price of ${model} is not known: its calls are not counted`),
  ];
  return { ...planned, ...(warnings.length > 0 && { warnings }) };
}

function sourceOf({ runId, kind }: Ended): string {
  return kind === 'agent'
    ? `read it from the transcript of run '${runId}'`
    : `read it from the runs below run '${runId}', which its tree() lists`;
}
