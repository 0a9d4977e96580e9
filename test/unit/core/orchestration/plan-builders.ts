import { createPlan, restorePlan } from '../../../../src/core/orchestration/create-plan';
import type { Plan, PlannedChild } from '../../../../src/core/orchestration/plan';
import type {
  GraphConfig,
  GraphTaskConfig,
  OrchestrationConfig,
  ParallelConfig,
  SequentialConfig,
} from '../../../../src/protocol/activities';
import { LonghaulError } from '../../../../src/protocol/errors';
import type { JsonObject } from '../../../../src/base/json';
import type { ChildResult, RunInput } from '../../../../src/protocol/run';
import { noUsage } from '../builders';

export const aSequential = (
  runners: readonly string[],
  rest: Partial<SequentialConfig> = {},
): SequentialConfig => ({
  kind: 'sequential',
  id: 'pipeline',
  steps: runners.map((runner) => ({ runner })),
  ...rest,
});

export const aParallel = (
  runners: readonly string[],
  rest: Partial<ParallelConfig> = {},
): ParallelConfig => ({
  kind: 'parallel',
  id: 'board',
  branches: runners.map((runner) => ({ runner })),
  ...rest,
});

export const aTask = (
  id: string,
  dependencies: readonly string[] = [],
  rest: Partial<GraphTaskConfig> = {},
): GraphTaskConfig => ({ id, runner: `${id}-runner`, dependencies, ...rest });

export const aGraph = (...tasks: readonly GraphTaskConfig[]): GraphConfig => ({
  kind: 'graph',
  id: 'review',
  tasks,
});

export const aFinalResponse = (text: string): ChildResult['finalResponse'] => ({
  text,
  content: [{ type: 'text', text }],
});

export const aResult = (
  text: string,
  set: JsonObject = {},
  rest: Partial<ChildResult> = {},
): ChildResult => ({
  finalResponse: aFinalResponse(text),
  iterations: 1,
  completionReason: 'answered',
  delta: { set, removed: [] },
  spend: { usage: noUsage },
  ...rest,
});

export const start = (
  config: OrchestrationConfig,
  session: JsonObject = {},
  input: RunInput['input'] = 'go',
): Plan => createPlan(config, { input, session });

/** Through storage and back. */
export const restored = (config: OrchestrationConfig, plan: Plan): Plan =>
  restorePlan(config, JSON.parse(JSON.stringify(plan)));

export const readyKeys = (plan: Plan): readonly string[] => plan.ready.map(({ key }) => key);

export function takeAll(plan: Plan): readonly PlannedChild[] {
  const children = plan.ready;
  for (const { key } of children) plan.take(key);
  return children;
}

export function complete(plan: Plan, key: string, result: ChildResult): void {
  plan.take(key);
  plan.completed(key, result);
}

export function fail(plan: Plan, key: string, message = 'it broke'): void {
  plan.take(key);
  plan.failed(key, { code: 'ToolError', message });
}

/** The code and the message of what is thrown. */
export function thrown(act: () => unknown): { readonly code: string; readonly message: string } {
  try {
    act();
  } catch (error) {
    if (LonghaulError.is(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'none', message: 'nothing was thrown' };
}

/** All that a plan says of itself. */
export function seen(plan: Plan): JsonObject {
  const { ready, toStart, outcome, cancelsRest, session } = plan;
  return JSON.parse(
    JSON.stringify({ ready, toStart, outcome: outcome ?? null, cancelsRest, session }),
  ) as JsonObject;
}
