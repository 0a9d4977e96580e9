// The part of a pinned definition that a runner's workflow needs. Pure.

import type { OrchestrationConfig, RunnerConfig, RunnerPlace } from '../protocol/activities';
import type { AgentSpec, Definition, RunnerRef, RunnerSpec } from '../protocol/spec';
import { agentConfig } from './loop-config';
import { runnerOf, runnerPlace } from './runner-refs';

export function runnerConfig(definition: Definition, id: string): RunnerConfig {
  const spec = runnerOf(definition, id);
  return spec.kind === 'agent'
    ? agentConfig(definition, id)
    : orchestrationConfig(spec, (ref) => runnerPlace(definition, ref));
}

function orchestrationConfig(
  { description: _description, ...spec }: Exclude<RunnerSpec, AgentSpec>,
  placeOf: (ref: RunnerRef) => RunnerPlace,
): OrchestrationConfig {
  switch (spec.kind) {
    case 'sequential':
      return { ...spec, steps: spec.steps.map(placeOf) };
    case 'parallel':
      return { ...spec, branches: spec.branches.map(placeOf) };
    case 'graph':
      return { ...spec, tasks: spec.tasks.map((task) => ({ ...task, ...placeOf(task.runner) })) };
  }
}
