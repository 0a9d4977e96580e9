// One tool call: checks the arguments, runs the code, returns one log entry. A tool's failure is a result for the model.
//
// A call of a tool with effect `once` reaches its code in the first attempt that the server ever started, and in no other.

import { Context, log } from '@temporalio/activity';
import { agentOf, toolOf } from '../../core/loop-config';
import { errorOutput, outcomeUnknown, type ToolOutput } from '../../core/transcript/tool-output';
import type { CallToolInput, CallToolResult } from '../../protocol/activities';
import { hasCode, LonghaulError } from '../../protocol/errors';
import { canonicalJson, type JsonObject } from '../../base/json';
import type { ToolSpec } from '../../protocol/spec';
import { callArguments } from './call-arguments';
import { isCancelled } from '../callback-failure';
import { mintId } from '../model/call-model';
import { callbackChain } from '../callbacks';
import { checkToolArguments } from './check-arguments';
import type { ActivityDependencies } from '../dependencies';
import { describe } from '../failures';
import { type Heartbeat, withHeartbeat } from '../heartbeat';
import { ownWorkflowId, pinnedDefinition } from '../definition/pinned-definition';
import { runnableTool, runTool } from './run-tool';
import { type RanTool, runWithCallbacks } from './tool-callbacks';
import { createHash } from 'node:crypto';
import { checkExactJson, sessionDelta, violationText } from '../../core/session';
import type { SessionDelta } from '../../protocol/session';
import type { ToolContext } from '../../define/tool';
import { askContext } from '../log/read-log';

export async function callTool(
  dependencies: ActivityDependencies,
  input: CallToolInput,
): Promise<CallToolResult> {
  return await withHeartbeat(async (signal, heartbeat) => {
    if (wasStartedBefore(input)) {
      const output = outcomeUnknown('it was started before');
      return { entry: entryOf(dependencies, input, output) };
    }
    const reached = { code: false };
    try {
      return await makeCall(dependencies, input, { signal, heartbeat, reached });
    } catch (error) {
      if (input.onceIn === undefined || reached.code || isToldAsItIs(error)) throw error;
      throw new LonghaulError('ToolError', `it was not called: ${describe(error)}`, {
        cause: error,
      });
    }
  });
}

/**
 * Of a call that is made once at most: by an attempt before this one, which an operator made the server repeat, or by the execution that
 * a reset of the run put an end to. Neither is told apart from one that never began.
 */
function wasStartedBefore({ onceIn }: CallToolInput): boolean {
  if (onceIn === undefined) return false;
  const { info } = Context.current();
  const isRepeated = info.currentAttemptScheduledTimestampMs !== info.scheduledTimestampMs;
  return info.attempt > 1 || isRepeated || onceIn !== info.workflowExecution?.runId;
}

/** What is no result for the model: it ends the run, or another worker makes the call. */
function isToldAsItIs(error: unknown): boolean {
  if (isCancelled(error) || hasCode(error, 'NotRegisteredHere')) return true;
  return (
    hasCode(error, 'CallbackAbort') || (LonghaulError.is(error) && 'callbacks' in error.details)
  );
}

type Attempt = {
  readonly signal: AbortSignal;
  readonly heartbeat: Heartbeat;
  /** Whether the tool's code has been reached. */
  readonly reached: { code: boolean };
};

async function makeCall(
  dependencies: ActivityDependencies,
  input: CallToolInput,
  { signal, heartbeat, reached }: Attempt,
): Promise<CallToolResult> {
  const definition = await pinnedDefinition(dependencies, input.definition);
  const spec = toolOf(definition, input.tool);
  const tool = runnableTool(dependencies, spec);
  if (tool === undefined)
    throw new LonghaulError('NotRegisteredHere', `this worker has no tool '${input.tool}'`);
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
      const context = await toolContext({ ...input, session: own }, args, { signal, heartbeat });
      const before = structuredClone(context.session);
      reached.code = true;
      const output = await runTool({ tool, spec, context, args: checked.value });
      return output.isError
        ? { output, session: undefined }
        : withChanges(spec, output, { before, after: context.session });
    },
  });
  const entry = entryOf(dependencies, input, output);
  return { entry, ...(session !== undefined && { session }) };
}

/** That its changes of the session cannot be kept does not undo what a tool with effect `once` did. */
function withChanges(
  spec: ToolSpec,
  output: ToolOutput,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): RanTool {
  try {
    return { output, session: sessionChanges(spec, before, after) };
  } catch (error) {
    if (spec.effect !== 'once' || !hasCode(error, 'ToolError')) throw error;
    const text = `The tool '${spec.name}' ran, but its result is not kept: ${error.message}.`;
    return { output: errorOutput(text), session: undefined };
  }
}

function entryOf(
  dependencies: ActivityDependencies,
  { callId, tool: name, turn, index }: CallToolInput,
  output: ToolOutput,
): CallToolResult['entry'] {
  const result = { type: 'tool_result' as const, callId, name, ...output, turn, index };
  const entry = { id: mintId(), kind: 'tool-result' as const, result };
  dependencies.logCache.offer(ownWorkflowId(), entry);
  return entry;
}

// What a tool's code is given besides its arguments, and what it may have changed of it.

async function toolContext(
  input: CallToolInput,
  args: JsonObject,
  { signal, heartbeat }: Pick<ToolContext, 'signal' | 'heartbeat'>,
): Promise<ToolContext> {
  const workflowId = ownWorkflowId();
  const { agentId, path = agentId, callId, session = {}, context = {} } = input;
  return {
    workflowId,
    agentId,
    path,
    callId,
    idempotencyKey: idempotencyKey(input, args),
    session: structuredClone(session),
    context: input.contextByReference === true ? await askContext(workflowId) : context,
    signal,
    heartbeat,
    log,
  };
}

/** The same over attempts, workers, continue-as-new and resets, at any depth: nothing in it depends on the execution. */
export function idempotencyKey(
  { origin, turn, index, tool }: Pick<CallToolInput, 'origin' | 'turn' | 'index' | 'tool'>,
  args: JsonObject,
): string {
  const parts = [origin, turn, index, tool, canonicalJson(args)];
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** What the code changed of the keys it declared; anything else is a bug worth an error, not a silent loss. */
function sessionChanges(
  spec: ToolSpec,
  before: JsonObject,
  after: JsonObject,
): SessionDelta | undefined {
  const violation = checkExactJson(after);
  if (violation !== undefined) {
    const where = violationText(violation);
    throw new LonghaulError(
      'ToolError',
      `tool '${spec.name}' left a session that is not JSON${where}`,
    );
  }
  const delta = sessionDelta(before, after);
  const declared = new Set(spec.session);
  const changed = [...Object.keys(delta.set), ...delta.removed];
  const foreign = changed.filter((key) => !declared.has(key));
  if (foreign.length > 0) {
    throw new LonghaulError(
      'ToolError',
      `tool '${spec.name}' changed session keys it does not declare: ${foreign.join(', ')}`,
    );
  }
  return changed.length === 0 ? undefined : delta;
}
