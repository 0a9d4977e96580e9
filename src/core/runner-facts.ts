// What a runner's workflow needs of its pinned definition. Pure.

import type { OrchestrationFacts, RunnerFacts, RunnerPlace } from '../protocol/activities';
import type { AgentSpec, Definition, RunnerRef, RunnerSpec } from '../protocol/spec';
import { agentFacts } from './agent-facts';
import { runnerOf, runnerPlace } from './runner-refs';

export function runnerFacts(definition: Definition, id: string): RunnerFacts {
  const spec = runnerOf(definition, id);
  return spec.kind === 'agent'
    ? agentFacts(definition, id)
    : orchestrationFacts(spec, (ref) => runnerPlace(definition, ref));
}

function orchestrationFacts(
  { description: _description, ...spec }: Exclude<RunnerSpec, AgentSpec>,
  placeOf: (ref: RunnerRef) => RunnerPlace,
): OrchestrationFacts {
  switch (spec.kind) {
    case 'sequential':
      return { ...spec, steps: spec.steps.map(placeOf) };
    case 'parallel':
      return { ...spec, branches: spec.branches.map(placeOf) };
    case 'graph':
      return { ...spec, tasks: spec.tasks.map((task) => ({ ...task, ...placeOf(task.runner) })) };
  }
}
