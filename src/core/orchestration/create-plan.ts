// The plan of an orchestration, by its kind. Pure.

import type { OrchestrationFacts } from '../../protocol/activities';
import { GraphPlan } from './graph-plan';
import { ParallelPlan } from './parallel-plan';
import type { Plan, PlanStart } from './plan';
import { SequentialPlan } from './sequential-plan';

/** Throws `InvalidInput` where what it starts with lacks something its children need. */
export function createPlan(facts: OrchestrationFacts, start: PlanStart): Plan {
  switch (facts.kind) {
    case 'sequential':
      return SequentialPlan.start(facts, start);
    case 'parallel':
      return ParallelPlan.start(facts, start);
    case 'graph':
      return GraphPlan.start(facts, start);
  }
}

/** The plan that `toJSON` stored, of the same facts. Throws `StateError` for what this version does not read. */
export function restorePlan(facts: OrchestrationFacts, json: unknown): Plan {
  switch (facts.kind) {
    case 'sequential':
      return SequentialPlan.restore(facts, json);
    case 'parallel':
      return ParallelPlan.restore(facts, json);
    case 'graph':
      return GraphPlan.restore(facts, json);
  }
}
