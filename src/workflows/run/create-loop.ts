// Makes the loop of a run, by its kind. It starts at the beginning, or where an earlier execution stopped.

import { AgentMachine, startMachine } from '../../core/machine/agent-machine';
import { createPlan, restorePlan } from '../../core/orchestration/create-plan';
import { AgentLoop } from '../agent/agent-loop';
import { OrchestrationLoop } from '../orchestration/orchestration-loop';
import type { CarriedRun } from './carried-run';
import type { LoadedRun, RunLoop } from './loaded-run';
import { machineOptions, promptOf } from './machine-options';

export function createLoop(run: LoadedRun, carried: CarriedRun | undefined): RunLoop {
  const { config } = run.definition;
  const { input } = run.input;
  if (config.kind === 'agent') {
    const machine = carried?.machine
      ? AgentMachine.fromJSON(carried.machine, run.log)
      : startMachine(promptOf(input), machineOptions(config), run.log);
    return new AgentLoop(run, { config, machine, carried });
  }
  const plan = carried?.plan
    ? restorePlan(config, carried.plan)
    : createPlan(config, { input, session: run.session.value });
  return new OrchestrationLoop(run, { config, plan });
}
