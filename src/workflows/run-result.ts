// What a run returns: to who started it the session, to who called it the changes of it and the spend. Pure.

import type { RunBudget } from '../core/budget';
import type { PlanResult } from '../core/orchestration/plan';
import { sessionDelta } from '../core/session';
import type { JsonObject } from '../protocol/json';
import type { AgentRunResult, ChildResult, RunSpend } from '../protocol/run';
import { withinSize } from './agent-run-facts';
import type { TurnFacts } from './driver';
import type { RunSession } from './run-session';

export function runResult(
  planned: PlanResult,
  {
    budget,
    session,
    turnFacts,
  }: {
    readonly budget: RunBudget;
    readonly session: JsonObject;
    /** Of a turn of a thread. */
    readonly turnFacts: TurnFacts | undefined;
  },
): AgentRunResult {
  const { usage, costUsd, unpriced } = budget.spend;
  const notCounted = budget.hasCostLimit ? (unpriced ?? []) : [];
  const warnings = [
    ...(planned.warnings ?? []),
    ...notCounted.map((model) => `the price of ${model} is not known: its calls are not counted`),
  ];
  return withinSize({
    ...planned,
    usage,
    ...(costUsd !== undefined && { costUsd }),
    session,
    ...turnFacts,
    ...(warnings.length > 0 && { warnings }),
  });
}

export function childResult(
  planned: PlanResult,
  {
    result: { warnings },
    session,
    spend,
  }: {
    readonly result: AgentRunResult;
    readonly session: RunSession;
    readonly spend: RunSpend;
  },
): ChildResult {
  return withinSize({
    ...planned,
    ...(warnings && { warnings }),
    delta: sessionDelta(session.initial, session.value),
    spend,
  });
}
