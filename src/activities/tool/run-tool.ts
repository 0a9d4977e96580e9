// Runs a tool's code once, and decides whether a failure is tried again, shown to the model, or ends the run.

import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { clipText } from '../../base/text';
import { errorOutput, type ToolOutput, toToolOutput } from '../../core/transcript/tool-output';
import { hasCode, LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type { ToolSpec } from '../../protocol/spec';
import type { Tool, ToolContext } from '../../define/tool';
import { describe } from '../failures';
import { untilAborted } from '../until-aborted';
import type { JsonObject } from '../../base/json';
import type { ActivityDependencies } from '../dependencies';
import { callMcpTool } from '../mcp/call-mcp-tool';

export type ToolRun = {
  readonly tool: RunnableTool;
  /** As the run pinned it. */
  readonly spec: ToolSpec;
  readonly args: unknown;
  readonly context: ToolContext;
};

export async function runTool({ tool, spec, args, context }: ToolRun): Promise<ToolOutput> {
  try {
    return await untilAborted(async () => await tool.run(args, context), context.signal);
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (hasCode(error, 'OutcomeUnknown')) return errorOutput(describe(error));
    return failedOutput(spec, error);
  }
}

/** Tried again while attempts are left; then the model sees the error, or the run fails if the tool says so. */
function failedOutput(spec: ToolSpec, error: unknown): ToolOutput {
  const { attempt, retryPolicy } = Context.current().info;
  const maximumAttempts = retryPolicy?.maximumAttempts ?? limits.toolAttempts;
  const description = clipText(describe(error), limits.failureMessage);
  if (!isFinal(error) && attempt < maximumAttempts) {
    throw ApplicationFailure.create({ type: 'ToolError', message: description });
  }
  if (spec.onError !== 'fail') return errorOutput(`The tool '${spec.name}' failed: ${description}`);
  // The run that fails of it names the tool.
  throw new LonghaulError('ToolError', description, { details: { tool: spec.name } });
}

/** Errors that say by themselves that another attempt would not help. */
export function isFinal(error: unknown): boolean {
  if (LonghaulError.is(error)) return !error.retryable;
  return error instanceof ApplicationFailure && error.nonRetryable === true;
}

// The code of a tool, wherever it is: in this worker, or behind an MCP server.

type RunnableTool = {
  /** What else checks the arguments, beside the schema the run pinned. */
  readonly own: Tool | undefined;
  run(args: unknown, context: ToolContext): Promise<ToolOutput>;
};

/** Undefined where this worker does not have it. */
export function runnableTool(
  { registry, mcp: pool }: ActivityDependencies,
  spec: ToolSpec,
): RunnableTool | undefined {
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
      run: async (args, context) =>
        toToolOutput(spec.name, await tool.execute(args, context), spec.maxResultBytes),
    }
  );
}
