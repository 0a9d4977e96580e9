// Translates between the machine and the run: options from the pinned config, the prompt, the result, the open inputs, and the rule for
// invalid calls. Pure.

import { criteriaOf } from '../../core/loop-config';
import type { MachineOptions } from '../../core/machine/options';
import type { AgentMachine } from '../../core/machine/agent-machine';
import type {
  AgentRunResponse,
  InvalidToolCallContext,
  MachineStep,
  ModelTurn,
  ModelTurnOutcome,
} from '../../core/machine/steps';
import type { PlanResult } from '../../core/orchestration/plan';
import { defined, oneLine } from '../../base';
import { refused } from '../../core/machine/turn-plan';
import {
  type AgentConfig,
  type InvalidToolCallAction,
  limits,
  type MachineInput,
  type RunInput,
  type UserMessage,
} from '../../protocol';

export function machineOptions(config: AgentConfig): MachineOptions {
  const maxIterations = config.maxIterations ?? limits.maxIterations;
  const invalidToolCalls = config.maxInvalidToolCalls ?? limits.invalidToolCalls;
  const onInvalidToolCall = config.onInvalidToolCall ?? 'retry';
  // With callbacks, the machine asks. If they do not decide, `resolveInvalidCalls` answers by the agent's rule.
  const hasCallbacks = config.callbackSession !== undefined;
  const approvals = config.tools
    .filter((tool) => tool.needsApproval === true)
    .map((tool) => tool.name);
  const criteria = criteriaOf(config);
  return {
    maxIterations,
    maxTurns: config.maxTurns ?? 2 * maxIterations + 5,
    maxInvalidToolCallRetries: invalidToolCalls,
    maxConsecutiveMalformedToolCalls: invalidToolCalls,
    askUser: config.askUser ?? false,
    ...(onInvalidToolCall !== 'retry' && !hasCallbacks && { onInvalidToolCall }),
    ...defined({ toolChoice: config.toolChoice }),
    ...(criteria.length > 0 && { criteria }),
    ...(approvals.length > 0 && { approvals }),
  };
}

export function promptOf(input: RunInput['input']): UserMessage {
  const parts = typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input;
  return { role: 'user', parts };
}

/** An agent's last response as a result. */
export function planResultOf(response: AgentRunResponse): PlanResult {
  const { text, content, structured, iterations, completionReason } = response;
  const warning = warningOf(response);
  return {
    finalResponse: { text, content, ...defined({ structured }) },
    iterations,
    completionReason,
    ...(warning !== undefined && { warnings: [warning] }),
  };
}

/** The warning for a refused or cut answer. Its text alone looks like a whole answer. */
function warningOf({
  completionReason,
  completionCalls,
  content,
}: AgentRunResponse): string | undefined {
  if (completionReason === refused) {
    const said = content.find((part) => part.type === 'refusal')?.text ?? '';
    return said === ''
      ? 'the model refused to answer'
      : `the model refused to answer: ${oneLine(said, 300)}`;
  }
  return completionCalls.at(-1)?.finishReason === 'length'
    ? 'the answer was cut at the limit of output tokens: raise settings.maxOutputTokens'
    : undefined;
}

/** The inputs that a step leaves open. */
export function openInputs(step: MachineStep): readonly MachineInput[] {
  if (step.kind === 'call-tools') return step.waiting;
  return step.kind === 'needs-input' ? step.inputs : [];
}

/** The agent's rule for calls of tools that are not allowed. It applies if no callback decided. */
type Rule = AgentConfig['onInvalidToolCall'];

/** The machine asks from left to right, so the call it means is the next one of its name. */
export function resolveInvalidCalls(
  machine: AgentMachine,
  first: ModelTurnOutcome,
  { turn, rule }: { readonly turn: Pick<ModelTurn, 'content' | 'checks'>; readonly rule: Rule },
): void {
  const calls = turn.content.filter((part) => part.type === 'tool_call');
  let from = 0;
  for (let outcome = first; outcome.kind === 'needs-resolution';) {
    const { toolName } = outcome.context;
    const place = calls.findIndex((call, index) => index >= from && call.name === toolName);
    const decision = turn.checks?.invalidToolCalls?.find(({ index }) => index === place);
    from = place + 1;
    outcome =
      decision === undefined && rule === 'ignore'
        ? machine.ignoreInvalidToolCall()
        : machine.resolveInvalidToolCall(decision?.action ?? byRule(rule, outcome.context));
  }
}

function byRule(rule: Rule, { toolName, allowed }: InvalidToolCallContext): InvalidToolCallAction {
  if (rule === 'fail') return { kind: 'fail' };
  const names = allowed.join(', ') || 'none';
  const feedback = `There is no tool '${toolName}' to call now. Available: ${names}.`;
  return { kind: 'retry', feedback };
}
