// The hooks around the code of one tool call. A call that cannot run (its arguments do not match, its code is missing) has none.

import { CallbackAbort } from '../../core/errors';
import { pickKeys } from '../../core/session';
import { toToolOutput, type ToolOutput } from '../../core/transcript/tool-output';
import { hasCode, LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import type { SessionDelta } from '../../protocol/session';
import type { ToolSpec } from '../../protocol/spec';
import type { CallbackToolCall, CallbackAnswer } from '../../define/callbacks';
import { readAnswer } from '../callback-answers';
import type { CallbackChain } from '../callbacks';

export type RanTool = { readonly output: ToolOutput; readonly session: SessionDelta | undefined };

export type GuardedCall = {
  readonly spec: ToolSpec;
  readonly call: CallbackToolCall;
  /** All keys that came with the call. */
  readonly session: JsonObject;
  /** Runs the tool's code on the keys it declares. */
  readonly run: (session: JsonObject) => Promise<RanTool>;
};

export async function runWithCallbacks(
  chain: CallbackChain | undefined,
  { spec, call, session, run }: GuardedCall,
): Promise<RanTool> {
  if (chain === undefined) return await run(session);
  const output = await outputOf(chain, { spec, call, run });
  return { output, session: chain.changes };
}

async function outputOf(
  chain: CallbackChain,
  { spec, call, run }: Omit<GuardedCall, 'session'>,
): Promise<ToolOutput> {
  const before = await chain.run('beforeToolCall', { call }, readAnswer);
  if (before !== undefined) return overrideOf(spec, before);
  const ran = await run(pickKeys(chain.session, spec.session ?? []));
  if (ran.session !== undefined) chain.merge(ran.session);
  const { isError, content } = ran.output;
  const result = { isError, content };
  const after = await chain
    .run('afterToolCall', { call, result }, readAnswer)
    .catch((error: unknown) => {
      throw spec.effect === 'once' ? afterCall(spec, error) : error;
    });
  return after === undefined ? ran.output : overrideOf(spec, after);
}

/** It ends the run: whoever starts it again should know that the call was made. */
function afterCall({ name }: ToolSpec, error: unknown): unknown {
  if (!hasCode(error, 'InternalError')) return error;
  const { message, details } = error;
  return new LonghaulError('InternalError', `${message}. The call of '${name}' had been made`, {
    details,
  });
}

export function overrideOf(
  { name, maxResultBytes }: Pick<ToolSpec, 'name' | 'maxResultBytes'>,
  answer: CallbackAnswer,
): ToolOutput {
  if (answer.kind === 'override') return toToolOutput(name, answer.text, maxResultBytes);
  throw new CallbackAbort({ reason: answer.reason, history: [] });
}
