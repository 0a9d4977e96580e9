// One tool call: checks the arguments, runs the code, returns one log entry. The model sees a tool's failure as a result.
//
// The code of a tool with effect `once` runs only in the first attempt that the server starts.

import { createHash } from 'node:crypto';
import { Context, log } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { canonicalJson, type JsonObject } from '../../base/json';
import { clipText } from '../../base/text';
import { agentOf, toolSpecOf } from '../../core/loop-config';
import {
  errorOutput,
  outcomeUnknown,
  type ToolOutput,
  wholeOutput,
} from '../../core/transcript/tool-output';
import type { CallToolInput, CallToolResult } from '../../protocol/activities';
import { hasCode, LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type { ToolSpec } from '../../protocol/spec';
import { resultTools } from '../../define/result-tools';
import type { Tool, ToolContext } from '../../define/tool';
import { isToolContent, toolContentOutput } from '../../define/tool-content';
import { callbackChain } from '../callbacks';
import { ownWorkflowId, pinnedDefinition } from '../definition/pinned-definition';
import type { ActivityDependencies } from '../dependencies';
import { describeError } from '../failures';
import { type Heartbeat, withHeartbeat } from '../heartbeat';
import { mintId } from '../log/log-cache';
import { askContext } from '../log/read-log';
import { callMcpTool } from '../mcp/mcp-tools';
import { type ReadArguments, readResult } from '../results/read-result';
import { keptOutput, scopeOfCall } from '../results/stored-results';
import { isCancelled, isFinal, sessionChanges, untilAborted } from '../user-code';
import { callArguments, checkAgainstSchema } from './check-arguments';
import { type RanTool, runWithCallbacks } from './tool-callbacks';

export async function callTool(
  dependencies: ActivityDependencies,
  input: CallToolInput,
): Promise<CallToolResult> {
  const started = Date.now();
  return await withHeartbeat(async (signal, heartbeat) => {
    if (wasStartedBefore(input)) {
      const output = outcomeUnknown('it was started before');
      return { entry: entryOf(dependencies, input, output) };
    }
    const reached = { code: false };
    try {
      return await makeCall(dependencies, input, { signal, heartbeat, reached, started });
    } catch (error) {
      if (input.onceIn === undefined || reached.code || isForTheRun(error)) throw error;
      throw new LonghaulError('ToolError', `it was not called: ${describeError(error)}`, {
        cause: error,
      });
    }
  });
}

/**
 * True for a call of effect `once` that an earlier attempt may have made. An operator can make the server repeat an attempt, and a reset
 * can repeat it in another execution. We cannot know whether the earlier attempt reached the code.
 */
function wasStartedBefore({ onceIn }: CallToolInput): boolean {
  if (onceIn === undefined) return false;
  const { info } = Context.current();
  const isRepeated = info.currentAttemptScheduledTimestampMs !== info.scheduledTimestampMs;
  return info.attempt > 1 || isRepeated || onceIn !== info.workflowExecution?.runId;
}

/** The model does not see these errors: they end the run, or another worker makes the call. */
function isForTheRun(error: unknown): boolean {
  if (isCancelled(error) || hasCode(error, 'NotRegisteredHere')) return true;
  return (
    hasCode(error, 'CallbackAbort') || (LonghaulError.is(error) && 'callbacks' in error.details)
  );
}

type ToolAttempt = {
  readonly signal: AbortSignal;
  readonly heartbeat: Heartbeat;
  /** `code` becomes true when the tool's code is about to run. */
  readonly reached: { code: boolean };
  readonly started: number;
};

async function makeCall(
  dependencies: ActivityDependencies,
  input: CallToolInput,
  { signal, heartbeat, reached, started }: ToolAttempt,
): Promise<CallToolResult> {
  const definition = await pinnedDefinition(dependencies, input.definition);
  const spec = toolSpecOf(definition, input.tool);
  const scope = scopeOfCall(input.definition);
  const tool = runnableTool(dependencies, spec, scope);
  if (tool === undefined)
    throw new LonghaulError('NotRegisteredHere', `this worker has no tool '${input.tool}'`);
  const args = await callArguments(dependencies, input, signal);
  const checked = await checkAgainstSchema(spec, tool.own, args);
  if (!checked.ok) return { entry: entryOf(dependencies, input, errorOutput(checked.problem)) };
  const agent = agentOf(definition, input.agentId);
  const chain = await callbackChain(dependencies, { definition, spec: agent, input, signal });
  const run = async (own: JsonObject): Promise<RanTool> => {
    const context = await toolContext({ ...input, session: own }, args, { signal, heartbeat });
    const before = structuredClone(context.session);
    reached.code = true;
    const whole = await runTool({ tool, spec, context, args: checked.value });
    const { maxResultBytes: maxBytes } = spec;
    const output = await keptOutput(whole, {
      results: dependencies.results,
      scope,
      maxBytes,
      signal,
      started,
    });
    return output.isError
      ? { output, session: undefined }
      : withChanges(spec, output, { before, after: context.session });
  };
  const call = { callId: input.callId, name: input.tool, args };
  const { output, session } =
    chain === undefined
      ? await run(input.session ?? {})
      : { output: await runWithCallbacks(chain, { spec, call, run }), session: chain.changes };
  return { entry: entryOf(dependencies, input, output), ...(session && { session }) };
}

/** A wrong change of the session is an error of the tool. With effect `once` it does not hide that the tool ran. */
function withChanges(
  spec: ToolSpec,
  output: ToolOutput,
  session: { readonly before: JsonObject; readonly after: JsonObject },
): RanTool {
  const { delta, problem } = sessionChanges(
    { keys: spec.session ?? [], mayReserve: true },
    session,
  );
  const isEmpty = Object.keys(delta.set).length + delta.removed.length === 0;
  if (problem === undefined) return { output, session: isEmpty ? undefined : delta };
  const message = `tool '${spec.name}' ${problem}`;
  if (spec.effect !== 'once') throw new LonghaulError('ToolError', message);
  const text = `The tool '${spec.name}' ran, but its result is not kept: ${message}.`;
  return { output: errorOutput(text), session: undefined };
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

/** The same in every attempt, on every worker, after continue-as-new and after a reset. */
export function idempotencyKey(
  { origin, turn, index, tool }: Pick<CallToolInput, 'origin' | 'turn' | 'index' | 'tool'>,
  args: JsonObject,
): string {
  const parts = [origin, turn, index, tool, canonicalJson(args)];
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

type ToolRun = {
  readonly tool: RunnableTool;
  /** The spec that the run pinned. */
  readonly spec: ToolSpec;
  readonly args: unknown;
  readonly context: ToolContext;
};

/** Returns the whole output, not cut yet. */
async function runTool({ tool, spec, args, context }: ToolRun): Promise<ToolOutput> {
  try {
    return await untilAborted(async () => await tool.run(args, context), context.signal);
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (hasCode(error, 'OutcomeUnknown')) return errorOutput(describeError(error));
    return failedOutput(spec, error);
  }
}

/** Retries while attempts are left. Then the model sees the error, or the run fails if the tool says so. */
function failedOutput(spec: ToolSpec, error: unknown): ToolOutput {
  const { attempt, retryPolicy } = Context.current().info;
  const maximumAttempts = retryPolicy?.maximumAttempts ?? limits.toolAttempts;
  const description = clipText(describeError(error), limits.failureMessage);
  if (!isFinal(error) && attempt < maximumAttempts) {
    throw ApplicationFailure.create({ type: 'ToolError', message: description });
  }
  if (spec.onError !== 'fail') return errorOutput(`The tool '${spec.name}' failed: ${description}`);
  // The run's failure names the tool.
  throw new LonghaulError('ToolError', description, { details: { tool: spec.name } });
}

/** The code of a tool: in this worker, or behind an MCP server. Its output is not cut yet. */
type RunnableTool = {
  /** The tool of this worker, which also checks the arguments. Undefined for MCP tools. */
  readonly own: Tool | undefined;
  run(args: unknown, context: ToolContext): Promise<ToolOutput>;
};

/** Undefined if this worker does not have the tool. */
function runnableTool(
  { registry, mcp: pool, results }: ActivityDependencies,
  spec: ToolSpec,
  scope: string,
): RunnableTool | undefined {
  if (Object.hasOwn(resultTools, spec.name)) {
    return (
      results && {
        own: undefined,
        run: (args) => readResult(spec.name, args as ReadArguments, { results, scope }),
      }
    );
  }
  if (spec.mcp !== undefined) {
    const server = registry.mcpServers.get(spec.mcp.server);
    return (
      server && {
        own: undefined,
        run: (args, { signal, idempotencyKey }) =>
          callMcpTool({ pool, server, spec, args: args as JsonObject, idempotencyKey, signal }),
      }
    );
  }
  const tool = registry.tools.get(spec.name);
  return (
    tool && {
      own: tool,
      run: async (args, context) => {
        const result = await tool.execute(args, context);
        return isToolContent(result)
          ? toolContentOutput(spec.name, result)
          : wholeOutput(spec.name, result);
      },
    }
  );
}
