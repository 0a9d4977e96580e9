// What drives a run, by its kind: from its beginning, or from where an earlier execution stopped.

import { AgentLoop } from './agent/agent-loop';
import { AgentMachine, startMachine } from '../core/machine/agent-machine';
import { createPlan, restorePlan } from '../core/orchestration/create-plan';
import { machineOptions, promptOf } from './run/machine-options';
import type { CarriedRun } from './run/carried-run';
import type { DrivenRun, Driver } from './run/driver';
import { OrchestrationLoop } from './orchestration/orchestration-loop';

export function createDriver(run: DrivenRun, carried: CarriedRun | undefined): Driver {
  const { config } = run.definition;
  if (config.kind === 'agent') {
    const machine = carried?.machine
      ? AgentMachine.fromJSON(carried.machine, run.log)
      : startMachine(promptOf(run.input.input), machineOptions(config), run.log);
    return new AgentLoop(run, { config, machine });
  }
  const { input } = run.input;
  const plan = carried?.plan
    ? restorePlan(config, carried.plan)
    : createPlan(config, { input, session: run.session.value });
  return new OrchestrationLoop(run, { config, plan });
}
