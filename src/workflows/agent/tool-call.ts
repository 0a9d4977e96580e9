// One call of a tool: an activity of ours that runs its code, or the user's own.
//
// 1. A tool's failure is a result for the model, unless the tool says `onError: 'fail'`; cancellation of the run and what callbacks end
//    are never results.
// 2. Of a tool with effect `once` only its own answer counts: whatever else ends the call, its outcome is unknown.

import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import { plainLine } from '../../core/transcript/markdown';
import { oneLine, utf8Length } from '../../base/text';
import { outcomeUnknown, toToolOutput } from '../../core/transcript/tool-output';
import type { CallToolInput, CheckArgumentsResult, ToolConfig } from '../../protocol/activities';
import type { PendingToolCall } from '../../protocol/agent-run';
import { LonghaulError } from '../../protocol/errors';
import { limits, timeouts } from '../../protocol/limits';
import type { ActivityToolSpec } from '../../protocol/spec';
import { foreignActivity, toolActivities } from '../activity-proxies';
import { checkActivityArguments } from './activity-tool';
import { contextInput, isOfCallbacks } from './callbacks';
import type { TaskRoom } from '../execution/task-room';
import { errorOutcome, resultOutcome, type ToolOutcome } from './tool-runner';
import type { AroundCall } from './tool-hooks';
import { argumentText } from '../execution/visible-state';
import type { JsonObject } from '../../base/json';
import type { RunLog } from '../execution/run-log';

export type ToolCall = {
  readonly tool: ToolConfig;
  readonly pending: PendingToolCall;
  readonly input: CallToolInput;
  /** What was found about the arguments beside the model call; undefined where they changed since. */
  readonly checked: CheckArgumentsResult | undefined;
  readonly around: AroundCall;
  /** Shared by all calls of the agent. */
  readonly room: TaskRoom;
};

export async function makeToolCall(call: ToolCall): Promise<ToolOutcome> {
  const { tool, pending } = call;
  const bytes = utf8Length(JSON.stringify(pending.call.args));
  if (bytes > limits.toolArguments) {
    return errorOutcome(
      pending,
      `The arguments have ${bytes} bytes; at most ${limits.toolArguments} are taken.`,
    );
  }
  try {
    return tool.activity === undefined
      ? await callOwn(call)
      : await callForeign(call, tool.activity);
  } catch (error) {
    return failedCall(pending, tool, error);
  }
}

async function callOwn({ tool, pending, input, room }: ToolCall): Promise<ToolOutcome> {
  const answer = await whereRegistered(async (isElsewhere) => {
    await room.enter(input);
    return await toolActivities(tool, summaryOf(pending), isElsewhere).callTool(input);
  });
  return { kind: 'result', ...answer };
}

async function callForeign(
  { tool, pending, input, checked, around, room }: ToolCall,
  activity: ActivityToolSpec,
): Promise<ToolOutcome> {
  const { problem } = checked ?? (await checkActivityArguments(input.definition, pending, room));
  if (problem !== undefined) return errorOutcome(pending, problem);
  return await around(async () => {
    try {
      const args = pending.call.args ?? {};
      await room.enter(args);
      const result = await foreignActivity(tool, activity, summaryOf(pending))(args);
      return resultOutcome(pending, toToolOutput(tool.name, result));
    } catch (error) {
      return failedCall(pending, tool, error);
    }
  });
}

function summaryOf({ call, turn }: PendingToolCall): string {
  return `#${turn} ${call.name} ${plainLine(argumentText(call), limits.summary)}`;
}

/** The right worker may well be there: the one that was asked just happened to be first. */
const shortestPauseMs = 100;

/**
 * A worker that lacks the tool's code, or runs another application, leaves the call to another one of a rolling deploy. No attempt of the tool is spent on it.
 */
async function whereRegistered<Result>(
  call: (isElsewhere: boolean) => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + timeouts.definitionSearch;
  for (let tries = 0; ; tries += 1) {
    try {
      return await call(tries > 0);
    } catch (error) {
      if (!isNotRegistered(error) || Date.now() >= deadline) throw error;
      await sleep(Math.min(timeouts.searchPause, shortestPauseMs * 2 ** tries));
    }
  }
}

function isNotRegistered(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'NotRegisteredHere';
}

function failedCall(pending: PendingToolCall, tool: ToolConfig, error: unknown): ToolOutcome {
  if (!(error instanceof ActivityFailure) || isCancelledHere(error))
    return { kind: 'failed', error };
  if (isOfCallbacks(error.cause)) return { kind: 'failed', error };
  if (isNotRegistered(error)) {
    const text = `The tool '${pending.call.name}' is not available any more: no worker has its code.`;
    return errorOutcome(pending, text);
  }
  const timedOut = error.cause instanceof TimeoutFailure;
  const message = oneLine(error.cause?.message ?? error.message, limits.failureMessage);
  if (tool.effect === 'once' && !isOwnAnswer(error.cause))
    return resultOutcome(pending, outcomeUnknown(timedOut ? undefined : message));
  const reason = timedOut ? 'it did not finish in time' : message;
  const text = `The tool '${pending.call.name}' failed: ${reason}`;
  if (tool.onError === 'fail')
    return {
      kind: 'failed',
      error: new LonghaulError('ToolError', text, {
        cause: error,
        details: { tool: pending.call.name },
      }),
    };
  return errorOutcome(pending, text);
}

/** A call may end as cancelled by itself: by an operator, by its worker, or because its code says so. */
function isCancelledHere(error: unknown): boolean {
  return isCancellation(error) && CancellationScope.current().consideredCancelled;
}

/** What the tool's code threw, as our worker or an activity of the user's own says by the type. Of any other type, anybody may have made it. */
function isOwnAnswer(cause: unknown): boolean {
  return cause instanceof ApplicationFailure && cause.type === 'ToolError';
}

// What travels with a tool call: arguments inline while the Web UI can show them, else by reference into the log.

type ToolCallContext = Omit<CallToolInput, 'turn' | 'index' | 'callId' | 'tool' | 'args'>;

export function argumentsOf(
  { call }: PendingToolCall,
  log: RunLog,
): Pick<CallToolInput, 'args' | 'byReference'> {
  const args = call.args ?? {};
  const text = JSON.stringify(args);
  if (utf8Length(text) <= limits.toolArgumentsInline) return { args };
  const position = positionInLastTurn(log, text);
  if (position === undefined) return { args };
  return { args: { log: log.ref(), ...position }, byReference: true };
}

/** Where the last model turn has a call with these arguments; none where a person edited them. */
function positionInLastTurn(
  log: RunLog,
  args: string,
): { entryId: string; position: number } | undefined {
  const entry = log.entries.findLast((candidate) => candidate.kind === 'model-turn');
  if (entry?.kind !== 'model-turn') return undefined;
  const position = entry.content.findIndex(
    (part) => part.type === 'tool_call' && JSON.stringify(part.args) === args,
  );
  return position < 0 ? undefined : { entryId: entry.id, position };
}

export function callContext(run: {
  readonly definition: CallToolInput['definition'];
  readonly agentId: string;
  readonly path?: string;
  readonly origin: string;
  readonly context: JsonObject | undefined;
  readonly session: JsonObject | undefined;
  readonly iteration?: number;
}): ToolCallContext {
  const { context, session, ...address } = run;
  return {
    ...address,
    ...(session && { session }),
    ...contextInput(context),
  };
}
