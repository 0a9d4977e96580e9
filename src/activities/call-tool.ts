// One tool call: checks the arguments, runs the code, returns one log entry. A tool's failure is a result for the model.

import { agentOf, toolOf } from '../core/agent-facts';
import { errorOutput, type ToolOutput } from '../core/tool-output';
import type { CallToolInput, CallToolResult } from '../protocol/activities';
import { NotRegisteredHere } from '../protocol/error-classes';
import { callArguments } from './call-arguments';
import { mintId } from './call-model';
import { callbackChain } from './callbacks';
import { checkToolArguments } from './check-arguments';
import type { ActivityDependencies } from './dependencies';
import { withHeartbeat } from './heartbeat';
import { ownWorkflowId, pinnedDefinition } from './pinned-definition';
import { runTool } from './run-tool';
import { runnableTool } from './runnable-tool';
import { runWithCallbacks } from './tool-callbacks';
import { sessionChanges, toolContext } from './tool-context';

export async function callTool(
  dependencies: ActivityDependencies,
  input: CallToolInput,
): Promise<CallToolResult> {
  return await withHeartbeat(async (signal, heartbeat) => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = toolOf(definition, input.tool);
    const tool = runnableTool(dependencies, spec);
    if (tool === undefined) throw new NotRegisteredHere(`this worker has no tool '${input.tool}'`);
    const args = await callArguments(dependencies, input, signal);
    const checked = await checkToolArguments(spec, tool.own, args);
    if (!checked.ok) return { entry: entryOf(dependencies, input, errorOutput(checked.problem)) };
    const agent = agentOf(definition, input.agentId);
    const chain = await callbackChain(dependencies, { definition, spec: agent, input, signal });
    const { output, session } = await runWithCallbacks(chain, {
      spec,
      call: { callId: input.callId, name: input.tool, args },
      session: input.session ?? {},
      run: async (own) => {
        const context = await toolContext({ ...input, session: own }, args, {
          signal,
          heartbeat,
        });
        const before = structuredClone(context.session);
        const output = await runTool({ tool, spec, context, args: checked.value });
        const changes = output.isError ? undefined : sessionChanges(spec, before, context.session);
        return { output, session: changes };
      },
    });
    const entry = entryOf(dependencies, input, output);
    return { entry, ...(session !== undefined && { session }) };
  });
}

function entryOf(
  dependencies: ActivityDependencies,
  { callId, tool: name, turn, index }: CallToolInput,
  output: ToolOutput,
): CallToolResult['entry'] {
  const result = { type: 'tool_result' as const, callId, name, ...output, turn, index };
  const entry = { id: mintId(), kind: 'tool-result' as const, result };
  dependencies.replica.offer(ownWorkflowId(), entry);
  return entry;
}
