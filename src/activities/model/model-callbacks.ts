// Runs the hooks around one model call.

import { textOfParts } from '../../base';
import { CallbackAbort } from '../../core/errors';
import { emptyUsage } from '../../core/budget/usage';
import {
  type AgentSpec,
  askUserTool,
  type InvalidToolCallAction,
  type InvalidToolCallDecision,
  type Message,
  type ModelTurnEvent,
  type ToolChoice,
  type TurnChecks,
} from '../../protocol';
import type { ModelResponse } from '../../providers';
import type { CallbackChain } from '../callbacks';
import { allowedNames, sortedNames } from '../../core/machine/options';

export type CalledModel = {
  readonly turn: Omit<ModelTurnEvent, 'kind' | 'checks'>;
  readonly checks?: Pick<TurnChecks, 'abort' | 'override' | 'invalidToolCalls'>;
  /** The response to check, with repaired names. Undefined when a callback has decided the turn. */
  readonly toCheck?: ModelResponse;
};

type HookedModelCall = {
  readonly spec: AgentSpec;
  /** The messages for the model. */
  readonly messages: readonly Message[];
  readonly chain: CallbackChain | undefined;
};

/** The turn, if a callback gives it in place of the model. */
export async function beforeModelCall({
  chain,
  messages,
}: HookedModelCall): Promise<CalledModel | undefined> {
  const before = await chain?.run('beforeModelCall', { messages });
  if (before?.kind === 'abort') throw new CallbackAbort({ reason: before.reason, history: [] });
  return before && overridden(before.text);
}

/** The turn that callbacks make of the model's response. */
export async function afterModelCall(
  { chain, spec, messages }: HookedModelCall,
  response: ModelResponse,
): Promise<CalledModel> {
  if (chain === undefined) return { turn: response, toCheck: response };
  const { content, origin } = response;
  const all = [...messages, { role: 'assistant' as const, parts: content, origin }];
  const invalidToolCalls = await decideInvalidCalls(chain, { spec, messages: all, response });
  // If a callback has decided about invalid calls, the hook after the call does not see the turn.
  if (invalidToolCalls.length > 0) {
    const toCheck = withRepairs(response, invalidToolCalls);
    return { turn: response, checks: { invalidToolCalls }, toCheck };
  }
  const { usage, finishReason } = response;
  const shown = { text: textOfParts(content), content, usage, finishReason };
  const answer = await chain.run('afterModelCall', { messages: all, response: shown });
  if (answer === undefined) return { turn: response, toCheck: response };
  const checks = answer.kind === 'abort' ? { abort: answer.reason } : { override: answer.text };
  return { turn: response, checks };
}

/** The turn of a hook. It has no tokens, because the model was not called. */
function overridden(text: string): CalledModel {
  const content = [{ type: 'text' as const, text }];
  const turn = { content, usage: emptyUsage, finishReason: 'stop' as const };
  return { turn, checks: { override: text } };
}

// Callbacks decide about calls of tools that are not allowed. The machine finds these calls by itself, and applies the decisions.

type ReceivedTurn = {
  readonly spec: AgentSpec;
  /** The conversation, with the response. */
  readonly messages: readonly Message[];
  readonly response: ModelResponse;
};

/** Asks from left to right, until a decision ends the turn. */
async function decideInvalidCalls(
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
    const action = await chain.run('onInvalidToolCall', subject);
    if (action !== undefined) decisions.push({ index, action });
    if (endsTurn(action, spec)) break;
  }
  return decisions;
}

/** The response with repaired names. */
function withRepairs(
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

/** The names that the machine allows in a turn of the agent. */
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

/** True if the decision ends the turn. Without an action the agent's own rule applies: only `ignore` goes on to the next call. */
function endsTurn(action: InvalidToolCallAction | undefined, spec: AgentSpec): boolean {
  if (action === undefined) return spec.onInvalidToolCall !== 'ignore';
  return action.kind !== 'repair' && action.kind !== 'skip';
}
