// Calls whose names are not allowed, as callbacks decide about them. The machine finds them again by itself and applies the actions.

import { allowedNames, sortedNames } from '../../core/machine/options';
import type { InvalidToolCallAction, ToolChoice } from '../../protocol/agent-run';
import type { InvalidToolCallDecision } from '../../protocol/log';
import type { Message } from '../../protocol/message';
import { askUserTool } from '../../protocol/names';
import type { AgentSpec } from '../../protocol/spec';
import type { ModelResponse } from '../../providers/provider';
import { readAction } from '../callback-answers';
import type { CallbackChain } from '../callbacks';

export type ReceivedTurn = {
  readonly spec: AgentSpec;
  /** The response included. */
  readonly messages: readonly Message[];
  readonly response: ModelResponse;
};

/** Left to right, up to one that leaves nothing of the turn to decide about. */
export async function decideInvalidCalls(
  chain: CallbackChain,
  { spec, messages, response }: ReceivedTurn,
): Promise<readonly InvalidToolCallDecision[]> {
  const { executable, allowed, toolChoice } = turnNames(spec);
  const known = spec.askUser === 'tool' ? [...executable, askUserTool.name] : executable;
  const decisions: InvalidToolCallDecision[] = [];
  for (const [index, call] of toolCallsOf(response).entries()) {
    if (allowed.includes(call.name)) continue;
    const reason = known.includes(call.name) ? 'disallowed-by-tool-choice' : 'unknown-tool';
    const subject = { call, executable, allowed, toolChoice, reason, messages } as const;
    const action = await chain.run('onInvalidToolCall', subject, readAction);
    if (action !== undefined) decisions.push({ index, action });
    if (endsTurn(action, spec)) break;
  }
  return decisions;
}

/** The response with its calls under the names they were repaired to. */
export function withRepairs(
  response: ModelResponse,
  decisions: readonly InvalidToolCallDecision[],
): ModelResponse {
  const calls = toolCallsOf(response);
  const content = response.content.map((part) => {
    const index = part.type === 'tool_call' ? calls.indexOf(part) : -1;
    const action = decisions.find((decision) => decision.index === index)?.action;
    return part.type === 'tool_call' && action?.kind === 'repair'
      ? { ...part, name: action.name }
      : part;
  });
  return { ...response, content };
}

/** The names a turn of the agent is checked by, as its machine does. */
export function turnNames({
  tools = [],
  subAgents = [],
  toolChoice = 'auto',
  askUser = false,
}: AgentSpec): {
  readonly executable: string[];
  readonly allowed: string[];
  readonly toolChoice: ToolChoice;
} {
  const executable = sortedNames([...tools, ...subAgents.map(({ name }) => name)]);
  return { executable, allowed: allowedNames({ toolChoice, askUser }, executable), toolChoice };
}

function toolCallsOf({ content }: ModelResponse) {
  return content.filter((part) => part.type === 'tool_call');
}

/** Without an action the agent's own rule holds, which goes on to the next call only where it ignores this one. */
function endsTurn(action: InvalidToolCallAction | undefined, spec: AgentSpec): boolean {
  if (action === undefined) return spec.onInvalidToolCall !== 'ignore';
  return action.kind !== 'repair' && action.kind !== 'skip';
}
