// What the calls of a run are made with: whose they are, what of the session and the context goes along, the agents it may call.

import type { WorkflowInfo } from '@temporalio/workflow';
import type { AgentRun } from '../core/agent-run';
import { limits } from '../protocol/limits';
import type { RunInput } from '../protocol/run';
import type { LoadedDefinition } from './load-definition';
import type { RunLog } from './run-log';
import type { RunPlace } from './run-place';
import type { RunSession } from './run-session';
import { selectKeys } from './session-keys';
import { callSubAgent, type Caller } from './sub-agents';
import { iterationInput, toolCallKeys } from './callbacks';
import { argumentsOf, contextOf } from './tool-input';
import { judgedArguments } from './activity-tool';
import { ToolRunner } from './tool-runner';

export type CallingRun = {
  readonly input: RunInput;
  readonly info: WorkflowInfo;
  readonly place: RunPlace;
  readonly definition: LoadedDefinition;
  readonly machine: AgentRun;
  readonly session: RunSession;
  readonly log: () => RunLog;
  readonly forget: (child: string) => void;
};

export function createToolRunner(run: CallingRun): ToolRunner {
  const { facts } = run.definition;
  const caller = callerOf(run);
  return new ToolRunner({
    concurrency: facts.toolConcurrency ?? limits.toolConcurrency,
    tools: facts.tools,
    argumentsOf: (call) => argumentsOf(call, run.log()),
    judgedArguments: (call) => judgedArguments(call, run.log()),
    callAgent: (pending) => {
      const callee = facts.subAgents?.find(({ name }) => name === pending.call.name);
      return callee && callSubAgent(caller, callee, pending);
    },
    contextOf: (tool) =>
      contextOf({
        ...run.place.address(run.definition),
        firstExecutionRunId: run.info.firstExecutionRunId,
        executionRunId: run.info.runId,
        context: run.input.context,
        session: selectKeys(run.session.value, toolCallKeys(facts, tool)),
        ...iterationInput(facts, run.machine.iterations),
      }),
  });
}

function callerOf({ input, info, place, definition, session, forget }: CallingRun): Caller {
  return {
    workflowId: info.workflowId,
    executionRunId: info.runId,
    context: input.context,
    agentId: definition.facts.id,
    lineage: place.lineage,
    definition: place.definitionRef(definition.hash),
    session: () => session.value,
    forget,
  };
}
