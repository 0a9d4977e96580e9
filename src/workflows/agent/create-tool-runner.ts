// What the calls of a run are made with: whose they are, what of the session and the context goes along, the agents it may call.

import type { AgentMachine } from '../../core/machine/agent-machine';
import { limits } from '../../protocol/limits';
import type {
  AgentConfig,
  CallToolInput,
  SubAgentConfig,
  ToolConfig,
} from '../../protocol/activities';
import type { PendingToolCall } from '../../protocol/agent-run';
import type { JsonObject } from '../../base/json';
import { checkedArguments } from './activity-tool';
import { iterationInput, toolCallKeys } from './callbacks';
import type { DrivenRun } from '../run/driver';
import { selectKeys } from '../run/run-session';
import { TaskRoom } from '../execution/task-room';
import { errorOutcome, resultOutcome, type ToolOutcome, ToolRunner } from './tool-runner';
import { argumentsOf, makeToolCall, callContext } from './tool-call';
import { aroundCall, type AroundCall } from './tool-hooks';
import { ChildWorkflowFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/workflow';
import { outcomeUnknown, toToolOutput } from '../../core/transcript/tool-output';
import type { ErrorCode } from '../../protocol/errors';
import { failureCode, failureReason } from '../children/child-failure';
import type { Children } from '../children/children';

const endingCodes: ReadonlySet<ErrorCode> = new Set([
  'CircularAgentCall',
  'DisallowedAgentCall',
  'DepthExceeded',
  'BudgetExceeded',
  'RunCancelled',
]);

type CallingAgent = { readonly config: AgentConfig; readonly machine: AgentMachine };

export function createToolRunner(run: DrivenRun, agent: CallingAgent): ToolRunner {
  const { tools, subAgents = [], toolConcurrency } = agent.config;
  const callees = new Map(subAgents.map((callee) => [callee.name, callee]));
  const room = new TaskRoom(limits.toolCallBytes);
  return new ToolRunner({
    concurrency: Math.min(toolConcurrency ?? limits.toolConcurrency, limits.maxToolConcurrency),
    isFull: (running) => run.execution.history.isFull(running * resultsOf(tools)),
    call: async (pending, waiting): Promise<ToolOutcome> => {
      const { name } = pending.call;
      const around = hooksAround(run, agent, { pending, room });
      const callee = callees.get(name);
      if (callee !== undefined) {
        const others = waiting.filter(({ call }) => callees.has(call.name)).length;
        const { session, children } = run;
        const made = { callee, pending, session: session.value, among: others + 1, around };
        return await callSubAgent(children, made);
      }
      const tool = tools.find((candidate) => candidate.name === name);
      if (tool === undefined) return errorOutcome(pending, `There is no tool '${name}'.`);
      const session = selectKeys(run.session.value, toolCallKeys(agent.config, tool));
      const input = callInput(run, agent, { pending, session, tool });
      const checked = checkedArguments(pending, run.log);
      return await makeToolCall({ tool, pending, input, checked, around, room });
    },
  });
}

/** How many results of a child one call may come to: an activity of the user's own gives up to a whole payload. */
function resultsOf(tools: AgentConfig['tools']): number {
  const isForeign = tools.some((tool) => tool.activity !== undefined);
  return isForeign ? 4 : 1;
}

function hooksAround(
  run: DrivenRun,
  agent: CallingAgent,
  { pending, room }: { readonly pending: PendingToolCall; readonly room: TaskRoom },
): AroundCall {
  const { toolHooks: hooks = [], callbackSession: keys } = agent.config;
  return aroundCall({
    pending,
    hooks,
    room,
    session: run.session.value,
    inputOf: (session) => callInput(run, agent, { pending, session: selectKeys(session, keys) }),
  });
}

type CallWithSession = {
  readonly pending: PendingToolCall;
  /** The keys that are declared where the call runs. */
  readonly session: JsonObject | undefined;
  readonly tool?: ToolConfig;
};

function callInput(
  { execution, position, definition, input, log }: DrivenRun,
  { config, machine }: CallingAgent,
  { pending, session, tool }: CallWithSession,
): CallToolInput {
  const { call, turn, index } = pending;
  return {
    ...callContext({
      ...position.address(definition),
      origin: position.origin,
      context: input.context,
      session,
      ...iterationInput(config, machine.iterations),
    }),
    turn,
    index,
    callId: call.callId,
    tool: call.name,
    ...(tool?.effect === 'once' && { onceIn: execution.info.runId }),
    ...argumentsOf(pending, log),
  };
}

// Calls of runners as tools: each is a child workflow, its final text the result, its session changes a delta.
//
// 1. Circular and disallowed calls, budget and cancellation always end the run with their typed error.
// 2. Any other failure of a child follows its `onError`: by default the calling model sees it. Of one that was cut off (terminated, timed
//    out) it is told that nobody knows what it did.

type SubAgentCall = {
  readonly callee: SubAgentConfig;
  readonly pending: PendingToolCall;
  readonly session: JsonObject;
  /** Calls of the turn, this one included, that share what is left of the budget. */
  readonly among: number;
  readonly around: AroundCall;
};

async function callSubAgent(children: Children, made: SubAgentCall): Promise<ToolOutcome> {
  const { name } = made.callee;
  const input = made.pending.call.args?.['input'];
  if (typeof input !== 'string' || input.trim() === '') {
    return errorOutcome(made.pending, `The arguments of '${name}' must be {"input": "<text>"}.`);
  }
  return await made.around((session) => callChild(children, made, { input, session }));
}

async function callChild(
  children: Children,
  { callee, pending, session: own, among }: SubAgentCall,
  { input, session }: { readonly input: string; readonly session: JsonObject },
): Promise<ToolOutcome> {
  const { name, runner, kind, policy } = callee;
  const place = `${name}.${pending.turn}.${pending.index}`;
  try {
    const { finalResponse, delta } = await children.call({
      runner,
      ...(kind && { kind }),
      place,
      work: place,
      element: name,
      input,
      session,
      isSessionStable: session === own,
      isSubAgentCall: true,
      ...(policy && { policy }),
      among,
    });
    return { ...resultOutcome(pending, toToolOutput(name, finalResponse.text)), session: delta };
  } catch (error) {
    return failedCall(callee, pending, error);
  }
}

function failedCall(
  { name, onError }: SubAgentConfig,
  pending: PendingToolCall,
  error: unknown,
): ToolOutcome {
  const code = failureCode(error);
  const ends = code !== undefined && endingCodes.has(code);
  if (ends || onError === 'fail' || !(error instanceof ChildWorkflowFailure)) {
    return { kind: 'failed', error };
  }
  const { cause } = error;
  if (cause instanceof TerminatedFailure || cause instanceof TimeoutFailure) {
    return resultOutcome(pending, outcomeUnknown(`agent '${name}': ${failureReason(error)}`));
  }
  return errorOutcome(pending, `The agent '${name}' failed: ${failureReason(error)}`);
}
