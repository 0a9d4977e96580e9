// Runs the hooks around one tool call. A call that cannot run, because its arguments do not match or its code is missing, has no hooks. A
// call that gets its result from elsewhere has no hook after it.

import { agentOf } from '../../core/loop-config';
import { CallbackAbort } from '../../core/errors';
import { pickKeys } from '../../core/session';
import { toToolOutput, type ToolOutput } from '../../core/transcript/tool-output';
import {
  hasCode,
  LonghaulError,
  type RunToolHooksInput,
  type RunToolHooksResult,
  type SessionDelta,
  type ToolSpec,
} from '../../protocol';
import { defined, type JsonObject } from '../../base';
import type { CallbackAnswer, CallbackToolCall } from '../../define';
import { type CallbackChain, callbackChain } from '../callbacks';
import { pinnedDefinition } from '../definition/pinned-definition';
import type { ActivityDependencies } from '../dependencies';
import { withHeartbeat } from '../heartbeat';
import { callArguments } from './check-arguments';

export type RanTool = { readonly output: ToolOutput; readonly session: SessionDelta | undefined };

export type GuardedCall = {
  readonly spec: ToolSpec;
  readonly call: CallbackToolCall;
  /** Runs the tool's code on the session keys it declares. */
  readonly run: (session: JsonObject) => Promise<RanTool>;
};

export async function runWithCallbacks(
  chain: CallbackChain,
  { spec, call, run }: GuardedCall,
): Promise<ToolOutput> {
  const before = await chain.run('beforeToolCall', { call });
  if (before !== undefined) return overrideOf(spec, before);
  const { output, session } = await run(pickKeys(chain.session, spec.session ?? []));
  if (session !== undefined) chain.merge(session);
  const { isError, content } = output;
  if (spec.result === 'later' && !isError) return output;
  const result = { isError, content };
  const after = await chain.run('afterToolCall', { call, result }).catch((error: unknown) => {
    throw spec.effect === 'once' ? afterCall(spec, error) : error;
  });
  return after === undefined ? output : overrideOf(spec, after);
}

/** The activity: one hook of a call that the run schedules itself, such as a user's activity or a sub-agent. */
export async function runToolHooks(
  dependencies: ActivityDependencies,
  input: RunToolHooksInput,
): Promise<RunToolHooksResult> {
  return await withHeartbeat(dependencies, async (signal) => {
    const { callId, tool: name, output: result } = input;
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = agentOf(definition, input.agentId);
    const chain = await callbackChain(dependencies, { definition, spec, input, signal });
    if (chain === undefined) return {};
    const call = { callId, name, args: await callArguments(dependencies, input, signal) };
    const answer =
      result === undefined
        ? await chain.run('beforeToolCall', { call })
        : await chain.run('afterToolCall', { call, result });
    const output = answer && overrideOf(definition.tools[name] ?? { name }, answer);
    return defined({ output, session: chain.changes });
  });
}

/** The error ends the run. A person who starts the run again must know that the call was made. */
function afterCall({ name }: ToolSpec, error: unknown): unknown {
  if (!hasCode(error, 'InternalError')) return error;
  const { message, details, cause } = error;
  return new LonghaulError('InternalError', `${message}. The call of '${name}' had been made`, {
    details,
    cause,
  });
}

function overrideOf(
  { name, maxResultBytes }: Pick<ToolSpec, 'name' | 'maxResultBytes'>,
  answer: CallbackAnswer,
): ToolOutput {
  if (answer.kind === 'override') return toToolOutput(name, answer.text, maxResultBytes);
  throw new CallbackAbort({ reason: answer.reason, history: [] });
}
