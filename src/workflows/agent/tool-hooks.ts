// The hooks around a call that no activity of ours runs: an activity of the user's own, an agent called as a tool.
//
// 1. They cost an activity each, and only for agents whose callbacks have them.
// 2. Each sees the session as the one before it, and the call, have left it; what they changed leaves with the result.
// 3. A call that ends the run has no hooks after it.

import { mergeDelta, sessionDelta } from '../../core/session';
import type { RunToolHooksInput } from '../../protocol/activities';
import type { PendingToolCall } from '../../protocol/agent-run';
import type { JsonObject } from '../../base/json';
import type { ToolHook } from '../../protocol/spec';
import { hookActivities } from '../activity-proxies';
import type { TaskRoom } from '../execution/task-room';
import { resultOutcome, type ToolOutcome } from './tool-runner';

/** Makes a call with the hooks around it; the call is given the session as those before it have left it. */
export type AroundCall = (
  call: (session: JsonObject) => Promise<ToolOutcome>,
) => Promise<ToolOutcome>;

export type HookedCall = {
  readonly pending: PendingToolCall;
  readonly hooks: readonly ToolHook[];
  /** The run's, as the call finds it. */
  readonly session: JsonObject;
  readonly inputOf: (session: JsonObject) => RunToolHooksInput;
  /** Shared by all calls of the agent. */
  readonly room: TaskRoom;
};

export function aroundCall(hooked: HookedCall): AroundCall {
  if (hooked.hooks.length === 0) return (call) => call(hooked.session);
  return async (call) => {
    try {
      return await callWithHooks(hooked, call);
    } catch (error) {
      return { kind: 'failed', error };
    }
  };
}

async function callWithHooks(
  { pending, hooks, session: before, inputOf, room }: HookedCall,
  call: Parameters<AroundCall>[0],
): Promise<ToolOutcome> {
  let session = before;
  const ask = async (hook: ToolHook, subject: Pick<RunToolHooksInput, 'output'> = {}) => {
    if (!hooks.includes(hook)) return undefined;
    const { runToolHooks } = hookActivities(`#${pending.turn} ${hook} ${pending.call.name}`);
    const input = { ...inputOf(session), ...subject };
    await room.enter(input);
    const answer = await runToolHooks(input);
    if (answer.session !== undefined) session = mergeDelta(session, answer.session);
    return answer.output && resultOutcome(pending, answer.output);
  };
  let arrival: ToolOutcome | undefined = await ask('beforeToolCall');
  if (arrival === undefined) {
    arrival = await call(session);
    if (arrival.kind === 'failed') return arrival;
    if (arrival.session !== undefined) session = mergeDelta(session, arrival.session);
    const { isError, content } = arrival.entry.result;
    arrival = (await ask('afterToolCall', { output: { isError, content } })) ?? arrival;
  }
  return { ...arrival, session: sessionDelta(before, session) };
}
