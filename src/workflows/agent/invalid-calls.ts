// Calls whose names are not allowed, as the machine asks about them: answered as a callback decided, else by the agent's own rule. Pure.

import type { AgentMachine } from '../../core/machine/agent-machine';
import type { InvalidToolCallContext, ModelTurn, ModelTurnOutcome } from '../../core/machine/steps';
import type { InvalidToolCallAction } from '../../protocol/agent-run';
import type { AgentConfig } from '../../protocol/activities';

type Rule = AgentConfig['onInvalidToolCall'];

/** The machine asks left to right, so that the call it means is the next one of its name. */
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
