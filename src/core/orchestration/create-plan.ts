// The plan of an orchestration, by its kind. Pure.

import type { OrchestrationConfig } from '../../protocol/activities';
import { GraphPlan } from './graph-plan';
import { ParallelPlan } from './parallel-plan';
import type { Plan, PlanStart } from './plan';
import { SequentialPlan } from './sequential-plan';

/** Creates a plan. Throws `InvalidInput` if the start lacks something that the children need. */
export function createPlan(config: OrchestrationConfig, start: PlanStart): Plan {
  switch (config.kind) {
    case 'sequential':
      return SequentialPlan.start(config, start);
    case 'parallel':
      return ParallelPlan.start(config, start);
    case 'graph':
      return GraphPlan.start(config, start);
  }
}

/** Restores the plan that `toJSON` stored, for the same config. Throws `StateError` for a state that this version cannot read. */
export function restorePlan(config: OrchestrationConfig, json: unknown): Plan {
  switch (config.kind) {
    case 'sequential':
      return SequentialPlan.restore(config, json);
    case 'parallel':
      return ParallelPlan.restore(config, json);
    case 'graph':
      return GraphPlan.restore(config, json);
  }
}
