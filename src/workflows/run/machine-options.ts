// Between the machine and the run: options from the pinned config, the prompt, the result and the open inputs. Pure.

import { criteriaOf } from '../../core/loop-config';
import type { MachineOptions } from '../../core/machine/options';
import type { AgentRunResponse, MachineStep } from '../../core/machine/steps';
import type { PlanResult } from '../../core/orchestration/plan';
import { oneLine } from '../../base/text';
import { refused } from '../../core/machine/turn-plan';
import type { MachineInput } from '../../protocol/agent-run';
import type { AgentConfig } from '../../protocol/activities';
import { limits } from '../../protocol/limits';
import type { UserMessage } from '../../protocol/message';
import type { RunInput } from '../../protocol/run';

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
    ...(config.toolChoice !== undefined && { toolChoice: config.toolChoice }),
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
    finalResponse: { text, content, ...(structured !== undefined && { structured }) },
    iterations,
    completionReason,
    ...(warning !== undefined && { warnings: [warning] }),
  };
}

/** A reader who sees only the text takes a refused or cut answer for a whole one. */
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
