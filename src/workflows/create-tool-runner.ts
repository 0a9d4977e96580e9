// What the calls of a run are made with: whose they are, what of the session and the context goes along, the agents it may call.

import type { AgentRun } from '../core/agent-run';
import { limits } from '../protocol/limits';
import type { AgentFacts } from '../protocol/activities';
import type { DrivenRun } from './driver';
import { selectKeys } from './session-keys';
import { callSubAgent } from './sub-agents';
import { iterationInput, toolCallKeys } from './callbacks';
import { argumentsOf, contextOf } from './tool-input';
import { judgedArguments } from './activity-tool';
import { ToolRunner } from './tool-runner';

export function createToolRunner(
  run: DrivenRun,
  { facts, machine }: { readonly facts: AgentFacts; readonly machine: AgentRun },
): ToolRunner {
  const callees = new Map((facts.subAgents ?? []).map((callee) => [callee.name, callee]));
  return new ToolRunner({
    concurrency: facts.toolConcurrency ?? limits.toolConcurrency,
    tools: facts.tools,
    argumentsOf: (call) => argumentsOf(call, run.log),
    judgedArguments: (call) => judgedArguments(call, run.log),
    callAgent: (pending, waiting) => {
      const callee = callees.get(pending.call.name);
      if (callee === undefined) return undefined;
      const others = waiting.filter(({ call }) => callees.has(call.name)).length;
      const session = run.session.value;
      return callSubAgent(run.children, { callee, pending, session, among: others + 1 });
    },
    contextOf: (tool) =>
      contextOf({
        ...run.place.address(run.definition),
        firstExecutionRunId: run.info.firstExecutionRunId,
        executionRunId: run.info.runId,
        context: run.input.context,
        session: selectKeys(run.session.value, toolCallKeys(facts, tool)),
        ...iterationInput(facts, machine.iterations),
      }),
  });
}
