// Runs the code of one tool call, in this worker or behind an MCP server, with everything around it: the check of the arguments, the
// callbacks, the session, the limits of a result. It knows neither attempts nor timeouts: its caller knows what a failure means.

import { createHash } from 'node:crypto';
import { canonicalJson, clipText, defined, type Json, type JsonObject } from '../../base';
import { agentOf, toolSpecOf } from '../../core/loop-config';
import { pickKeys } from '../../core/session';
import { errorOutput, type ToolOutput, wholeOutput } from '../../core/transcript/tool-output';
import {
  type CallToolInput,
  type CallToolResult,
  type Definition,
  hasCode,
  limits,
  LonghaulError,
  type SessionDelta,
  type ToolSpec,
} from '../../protocol';
import {
  isToolContent,
  resultTools,
  type Tool,
  toolContentOutput,
  type ToolContext,
} from '../../define';
import { callbackChain } from '../callbacks';
import { ownWorkflowId } from '../definition/pinned-definition';
import type { ActivityDependencies } from '../dependencies';
import { callLog, logFailure } from '../call-log';
import { describeError } from '../failures';
import type { Heartbeat } from '../heartbeat';
import { mintId } from '../log/log-cache';
import { askContext } from '../log/read-log';
import { callMcpTool } from '../mcp/mcp-tools';
import { type ReadArguments, readResult } from '../results/read-result';
import { keptOutput, scopeOfCall } from '../results/stored-results';
import { isFinal, sessionChanges, untilAborted } from '../user-code';
import type { ToolCall } from '../../telemetry';
import type { AttemptTrace } from '../trace';
import { callArguments, checkAgainstSchema } from './check-arguments';
import { type RanTool, runWithCallbacks } from './tool-callbacks';

export type OneCall = {
  readonly dependencies: ActivityDependencies;
  readonly definition: Definition;
  readonly input: CallToolInput;
  readonly signal: AbortSignal;
  /** Gets the begin and the end of the call. */
  readonly trace: AttemptTrace;
  readonly heartbeat: Heartbeat;
  /** If true, a failure that may pass is thrown. Otherwise it is the call's result. */
  readonly isTriedAgain: boolean;
  /** When the attempt ends at the latest, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Called when the tool's code is about to run. */
  readonly onReached?: () => void;
  /** Only for a tool with a later result. Its code passes the token on. */
  readonly token?: string;
  /** Called when the code has begun the call, so that its result comes later. */
  readonly onBegun?: () => void;
};

/** Makes one call. The result is not in the log cache yet. */
export async function runCall(call: OneCall): Promise<CallToolResult> {
  const { dependencies, definition, input, signal, deadline } = call;
  const spec = toolSpecOf(definition, input.tool);
  const scope = scopeOfCall(input.definition);
  const tool = runnableTool(dependencies, spec, scope);
  if (tool === undefined)
    throw new LonghaulError('NotRegisteredHere', `this worker has no tool '${input.tool}'`);
  const args = await callArguments(dependencies, input, signal);
  // Nobody has decided whether other arguments than those of the pinned schema need approval.
  const isPinned = spec.needsApproval === 'ask' && input.wasAsked !== true;
  const checked = await checkAgainstSchema({ spec, tool: tool.own, isPinned }, args);
  if (!checked.ok) return resultOf(input, errorOutput(checked.problem));
  const upgraded = checked.upgraded && clipText(JSON.stringify(checked.upgraded), limits.preview);
  if (upgraded !== undefined) callLog().info('upgraded the arguments', { args: upgraded });
  const agent = agentOf(definition, input.agentId);
  const chain = await callbackChain(dependencies, { definition, spec: agent, input, signal });
  const run = async (session: JsonObject): Promise<RanTool> => {
    const context = await toolContext(call, session, args);
    const before = structuredClone(context.session);
    call.onReached?.();
    const whole = await runTool(call, { tool, spec, context, args: checked.value });
    if (spec.result === 'later' && !whole.isError) call.onBegun?.();
    const { maxResultBytes: maxBytes } = spec;
    const kept = { results: dependencies.results, scope, maxBytes, signal, deadline };
    const output = await keptOutput(whole, kept);
    return output.isError
      ? { output, session: undefined }
      : withChanges(call, spec, { output, before, after: context.session });
  };
  if (chain === undefined) {
    const { output, session } = await run(pickKeys(input.session ?? {}, spec.session ?? []));
    return resultOf(input, output, { session, upgraded });
  }
  const made = { callId: input.callId, name: input.tool, args };
  const output = await runWithCallbacks(chain, { spec, call: made, run });
  return resultOf(input, output, { session: chain.changes, upgraded });
}

/** A wrong change of the session fails the call for good. With effect `once` it does not hide that the tool ran. */
function withChanges(
  { isTriedAgain }: OneCall,
  spec: ToolSpec,
  { output, ...session }: { output: ToolOutput; before: JsonObject; after: JsonObject },
): RanTool {
  const { delta, problem } = sessionChanges(
    { keys: spec.session ?? [], mayReserve: true },
    session,
  );
  const isEmpty = Object.keys(delta.set).length + delta.removed.length === 0;
  if (problem === undefined) return { output, session: isEmpty ? undefined : delta };
  const message = `tool '${spec.name}' ${problem}`;
  const failed =
    spec.effect === 'once'
      ? errorOutput(`The tool '${spec.name}' ran, but its result is not kept: ${message}.`)
      : failedOutput(spec, new LonghaulError('ToolError', message), isTriedAgain);
  return { output: failed, session: undefined };
}

export function resultOf(
  { callId, tool: name, turn, index }: CallToolInput,
  output: ToolOutput,
  {
    session,
    upgraded,
  }: { readonly session?: SessionDelta | undefined; readonly upgraded?: string | undefined } = {},
): CallToolResult {
  const result = { type: 'tool_result' as const, callId, name, ...output, turn, index };
  const entry = { id: mintId(), kind: 'tool-result' as const, result, ...defined({ upgraded }) };
  return { entry, ...defined({ session }) };
}

async function toolContext(
  { input, signal, heartbeat, token }: OneCall,
  session: JsonObject,
  args: JsonObject,
): Promise<ToolContext> {
  const workflowId = ownWorkflowId();
  const { agentId, path = agentId, callId, context = {} } = input;
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
    log: callLog(),
    ...defined({ resultToken: token }),
  };
}

/** The idempotency key of a call. It is the same in every attempt, on every worker, after continue-as-new and after a reset. */
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
async function runTool(
  { input, trace, isTriedAgain }: OneCall,
  { tool, spec, args, context }: ToolRun,
): Promise<ToolOutput> {
  const watch = trace.begin(tracedTool(input, spec, args as Json), callPlace(input));
  try {
    const run = async (): Promise<ToolOutput> => await watch.run(() => tool.run(args, context));
    const output = await untilAborted(run, context.signal);
    watch.end({ output });
    return output;
  } catch (error) {
    watch.end({ error });
    if (context.signal.aborted) throw error;
    if (hasCode(error, 'OutcomeUnknown')) {
      logFailure('error', `tool '${spec.name}' failed`, error);
      return errorOutput(describeError(error));
    }
    return failedOutput(spec, error, isTriedAgain);
  }
}

/** A tool call, for telemetry. */
export function tracedTool(
  { callId }: Pick<CallToolInput, 'callId'>,
  { name, description, mcp }: ToolSpec,
  args?: Json,
): ToolCall {
  const type = mcp === undefined ? 'function' : 'extension';
  return { kind: 'tool', name, type, callId, ...defined({ description, args }) };
}

/** The place of a call in its run, because calls of one turn may run in one activity. */
export function callPlace({ turn, index }: Pick<CallToolInput, 'turn' | 'index'>): string {
  return `${turn}.${index}`;
}

/** Throws if the call is made again, or if the tool's failure must end the run. Otherwise returns the error as a result for the model. */
function failedOutput(spec: ToolSpec, error: unknown, isTriedAgain: boolean): ToolOutput {
  const description = clipText(describeError(error), limits.failureMessage);
  const retryable = isTriedAgain && !isFinal(error);
  // The run's failure names the tool.
  const details = { tool: spec.name };
  const failed = new LonghaulError('ToolError', description, { retryable, details, cause: error });
  if (retryable || spec.onError === 'fail') throw failed;
  logFailure('error', `tool '${spec.name}' failed`, failed);
  return errorOutput(`The tool '${spec.name}' failed: ${description}`);
}

/** The code of a tool: in this worker, or behind an MCP server. Its output is not cut yet. */
type RunnableTool = {
  /** The tool of this worker, which also checks the arguments. Undefined for MCP tools. */
  readonly own: Tool | undefined;
  run(args: unknown, context: ToolContext): Promise<ToolOutput>;
};

/** Undefined if this worker does not have the tool. */
export function runnableTool(
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
        if (spec.result === 'later') return { isError: false, content: [] };
        return isToolContent(result)
          ? toolContentOutput(spec.name, result)
          : wholeOutput(spec.name, result);
      },
    }
  );
}
