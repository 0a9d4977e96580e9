// The hooks around one model call, and what they make of its response.

import { textOfParts } from '../../base/text';
import { CallbackAbort } from '../../core/errors';
import { emptyUsage } from '../../core/budget/usage';
import type { InvalidToolCallDecision, ModelTurnEvent, TurnChecks } from '../../protocol/log';
import type { Message } from '../../protocol/message';
import type { AgentSpec } from '../../protocol/spec';
import type { ModelResponse } from '../../providers/provider';
import { readAnswer } from '../callback-answers';
import type { CallbackChain } from '../callbacks';
import { decideInvalidCalls, withRepairs } from './invalid-calls';

export type CalledModel = {
  readonly turn: Omit<ModelTurnEvent, 'kind' | 'checks'>;
  readonly checks?: Pick<TurnChecks, 'abort' | 'override' | 'invalidToolCalls'>;
  /** As it is to be checked: calls under their new names. Undefined when a callback has decided the turn. */
  readonly toCheck?: ModelResponse;
};

export type ModelCall = {
  readonly spec: AgentSpec;
  /** What the model is sent. */
  readonly messages: readonly Message[];
  readonly call: () => Promise<ModelResponse>;
};

export async function callWithCallbacks(
  chain: CallbackChain | undefined,
  { spec, messages, call }: ModelCall,
): Promise<CalledModel> {
  if (chain === undefined) {
    const response = await call();
    return { turn: response, toCheck: response };
  }
  const before = await chain.run('beforeModelCall', { messages }, readAnswer);
  if (before?.kind === 'abort') throw new CallbackAbort({ reason: before.reason, history: [] });
  if (before?.kind === 'override') return overridden(before.text);
  const response = await call();
  const turn = { spec, messages: [...messages, turnOf(response)], response };
  const actions = await decideInvalidCalls(chain, turn);
  if (actions.length > 0) return decided(response, actions);
  return await afterModelCall(chain, turn);
}

/** The model was not called: nothing was used. */
function overridden(text: string): CalledModel {
  const content = [{ type: 'text' as const, text }];
  const turn = { content, usage: emptyUsage, finishReason: 'stop' as const };
  return { turn, checks: { override: text } };
}

/** Hooks on the response do not see a turn that was decided about before them. */
function decided(
  response: ModelResponse,
  invalidToolCalls: readonly InvalidToolCallDecision[],
): CalledModel {
  const toCheck = withRepairs(response, invalidToolCalls);
  return { turn: response, checks: { invalidToolCalls }, toCheck };
}

async function afterModelCall(
  chain: CallbackChain,
  turn: { readonly messages: readonly Message[]; readonly response: ModelResponse },
): Promise<CalledModel> {
  const { content, usage, finishReason } = turn.response;
  const text = textOfParts(content);
  const response = { text, content, usage, finishReason };
  const answer = await chain.run(
    'afterModelCall',
    { messages: turn.messages, response },
    readAnswer,
  );
  if (answer === undefined) return { turn: turn.response, toCheck: turn.response };
  const checks = answer.kind === 'abort' ? { abort: answer.reason } : { override: answer.text };
  return { turn: turn.response, checks };
}

function turnOf({ content, origin }: ModelResponse): Message {
  return { role: 'assistant', parts: content, origin };
}
