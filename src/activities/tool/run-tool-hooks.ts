// The hooks around a call that the run schedules itself: an activity of the user's own, an agent called as a tool.

import { agentOf } from '../../core/agent-facts';
import type { RunToolHooksInput, RunToolHooksResult } from '../../protocol/activities';
import { callArguments } from './call-arguments';
import { readVerdict } from '../callback-answers';
import { callbackChain } from '../callbacks';
import type { ActivityDependencies } from '../dependencies';
import { withHeartbeat } from '../heartbeat';
import { pinnedDefinition } from '../definition/pinned-definition';
import { overrideOf } from './tool-callbacks';

export async function runToolHooks(
  dependencies: ActivityDependencies,
  input: RunToolHooksInput,
): Promise<RunToolHooksResult> {
  return await withHeartbeat(async (signal) => {
    const { callId, tool: name, output: result } = input;
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = agentOf(definition, input.agentId);
    const chain = await callbackChain(dependencies, { definition, spec, input, signal });
    if (chain === undefined) return {};
    const call = { callId, name, args: await callArguments(dependencies, input, signal) };
    const verdict =
      result === undefined
        ? await chain.run('beforeToolCall', { call }, readVerdict)
        : await chain.run('afterToolCall', { call, result }, readVerdict);
    const output = verdict && overrideOf(definition.tools[name] ?? { name }, verdict);
    const session = chain.changes;
    return { ...(output && { output }), ...(session && { session }) };
  });
}
