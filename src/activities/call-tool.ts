// One tool call: checks the arguments, runs the code, returns one log entry. A tool's failure is a result for the model.

import { createHash } from 'node:crypto';
import { Context, log } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { toolOf } from '../core/agent-facts';
import { checkJson, sessionDelta } from '../core/session';
import type { ArgumentsRef, CallToolInput, CallToolResult } from '../protocol/activities';
import { LonghaulError } from '../protocol/errors';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json';
import { limits } from '../protocol/limits';
import { queryNames } from '../protocol/names';
import type { SessionDelta } from '../protocol/session';
import type { ToolSpec } from '../protocol/spec';
import { canonicalJson } from '../spec/canonical-json';
import { compileSchema } from '../spec/compile-schema';
import type { Tool, ToolContext } from '../spec/tool';
import { mintId } from './call-model';
import type { ActivityDependencies } from './dependencies';
import { describe, isSearchSpent } from './failures';
import { withHeartbeat } from './heartbeat';
import { ownWorkflowId, pinnedDefinition } from './pinned-definition';
import { askRun, readLog } from './read-log';
import { errorOutput, toToolOutput, type ToolOutput } from './tool-result';

export async function callTool(dependencies: ActivityDependencies, input: CallToolInput): Promise<CallToolResult> {
  return await withHeartbeat(async (signal) => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = toolOf(definition, input.tool);
    const tool = dependencies.registry.tool(input.tool);
    if (tool === undefined) return answer(dependencies, input, missingTool(input.tool));
    const args = await argumentsOf(dependencies, input, signal);
    const checked = await checkArguments(spec, tool, args);
    if ('isError' in checked) return answer(dependencies, input, checked);
    const context = await contextOf(input, args, signal);
    const before = structuredClone(context.session);
    const output = await execute(tool, spec, checked.value, context);
    return answer(dependencies, input, output, output.isError ? undefined : changes(spec, before, context.session));
  });
}

function answer(
  dependencies: ActivityDependencies,
  input: CallToolInput,
  output: ToolOutput,
  session?: SessionDelta,
): CallToolResult {
  const { callId, tool: name, turn, index } = input;
  const entry = {
    id: mintId(),
    kind: 'tool-result' as const,
    result: { type: 'tool_result' as const, callId, name, ...output, turn, index },
  };
  dependencies.replica.offer(ownWorkflowId(), entry);
  return { entry, ...(session !== undefined && { session }) };
}

function missingTool(name: string): ToolOutput {
  if (isSearchSpent()) return errorOutput(`The tool '${name}' is not available any more: no worker has its code.`);
  throw new LonghaulError('NotRegisteredHere', `this worker has no tool '${name}'`, { retryable: true });
}

async function argumentsOf(
  dependencies: ActivityDependencies,
  input: CallToolInput,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (input.byReference !== true) return input.args as JsonObject;
  const ref = input.args as ArgumentsRef;
  const entries = await readLog(dependencies.replica, ref.log, signal);
  const entry = entries.find((candidate) => candidate.id === ref.entryId);
  const part = entry?.kind === 'model-turn' ? entry.content[ref.position] : undefined;
  if (part?.type === 'tool_call' && part.args !== null) return part.args;
  throw new LonghaulError('InternalError', `the log has no arguments at entry '${ref.entryId}'`);
}

/** Against the schema the run pinned, which the model saw, then as the tool's own code expects them. */
async function checkArguments(
  spec: ToolSpec,
  tool: Tool,
  args: JsonObject,
): Promise<{ readonly value: unknown } | ToolOutput> {
  const isUnchanged = canonicalJson(spec.inputSchema) === canonicalJson(tool.spec.inputSchema);
  const problems = isUnchanged ? [] : compileSchema(spec.inputSchema)(args);
  const check = problems.length > 0 ? { ok: false as const, problems } : await tool.validateArguments(args);
  if (check.ok) return { value: check.value };
  const list = check.problems.slice(0, 10).map(({ path, message }) => `- ${path || 'arguments'}: ${message}`);
  return errorOutput(`The arguments of '${spec.name}' do not match its schema:\n${list.join('\n')}`);
}

async function execute(tool: Tool, spec: ToolSpec, args: unknown, context: ToolContext): Promise<ToolOutput> {
  try {
    const value = await untilAborted(Promise.resolve(tool.execute(args, context)), context.signal);
    return toToolOutput(spec.name, value, spec.maxResultBytes);
  } catch (error) {
    if (error instanceof CancelledFailure || context.signal.aborted) throw error;
    return failedOutput(spec, error);
  }
}

/** A tool that ignores its signal does not hold up a cancelled run. */
async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Retried while attempts are left; then the model sees the error, or the run fails if the tool says so. */
function failedOutput(spec: ToolSpec, error: unknown): ToolOutput {
  const { attempt, retryPolicy } = Context.current().info;
  const maximumAttempts = retryPolicy?.maximumAttempts ?? limits.toolAttempts;
  const text = `The tool '${spec.name}' failed: ${describe(error)}`;
  if (!isFinal(error) && attempt < maximumAttempts) {
    throw ApplicationFailure.create({ type: 'ToolError', message: describe(error).slice(0, limits.failureMessage) });
  }
  if (spec.onError === 'fail') throw new LonghaulError('ToolError', text, { details: { tool: spec.name } });
  return errorOutput(text);
}

/** Errors that say by themselves that another attempt would not help. */
function isFinal(error: unknown): boolean {
  if (LonghaulError.is(error)) return !error.retryable;
  return error instanceof ApplicationFailure && error.nonRetryable === true;
}

async function contextOf(input: CallToolInput, args: JsonObject, signal: AbortSignal): Promise<ToolContext> {
  const activity = Context.current();
  const runId = ownWorkflowId();
  const { agentId, path = agentId, callId, turn, index } = input;
  const first = input.firstExecutionRunId ?? activity.info.workflowExecution?.runId;
  const key = [runId, first, path, turn, index, canonicalJson(args)].join('\n');
  return {
    runId,
    agentId,
    path,
    callId,
    idempotencyKey: createHash('sha256').update(key).digest('hex'),
    session: structuredClone(input.session ?? {}),
    context: objectOf(input.contextByReference === true ? await askContext(runId) : input.context),
    signal,
    heartbeat: (details) => activity.heartbeat(details),
    log,
  };
}

async function askContext(runId: string): Promise<Json> {
  return await askRun<Json>({ workflowId: runId }, queryNames.context);
}

function objectOf(context: Json | undefined): JsonObject {
  return isJsonObject(context) ? context : {};
}

/** What the code changed of the keys it declared; anything else is a bug worth an error, not a silent loss. */
function changes(spec: ToolSpec, before: JsonObject, after: JsonObject): SessionDelta | undefined {
  const violation = checkJson(after);
  if (violation !== undefined) {
    throw new LonghaulError('ToolError', `tool '${spec.name}' left a session that is not JSON at ${violation.path}: ${violation.problem}`);
  }
  const delta = sessionDelta(before, after);
  const declared = new Set(spec.session);
  const foreign = [...Object.keys(delta.set), ...delta.removed].filter((key) => !declared.has(key));
  if (foreign.length > 0) {
    throw new LonghaulError('ToolError', `tool '${spec.name}' changed session keys it does not declare: ${foreign.join(', ')}`);
  }
  const isUnchanged = Object.keys(delta.set).length === 0 && delta.removed.length === 0;
  return isUnchanged ? undefined : delta;
}
