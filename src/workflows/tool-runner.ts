// Runs the tool calls of a turn: all at once up to `toolConcurrency`, one activity or child workflow each.
//
// 1. A call is started once, however often the machine lists it.
// 2. What arrives waits in `arrived` until the loop feeds it to the machine, in order of arrival.
// 3. A tool's failure is a result for the model, unless the tool says `onError: 'fail'`; cancellation and what callbacks end are never results.

import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { PendingToolCall } from '../protocol/agent-run';
import type { CallToolInput, CheckArgumentsResult, ToolFacts } from '../protocol/activities';
import { ToolError } from '../protocol/error-classes';
import { limits, timeouts } from '../protocol/limits';
import { oneLine, utf8Length } from '../core/text';
import { toolActivities } from './activity-proxies';
import { callActivityTool } from './activity-tool';
import { isOfCallbacks } from './callbacks';
import { errorResult, resultOf, type ResultArrival, type ToolArrival } from './tool-arrival';
import type { ToolCallContext } from './tool-input';
import { argumentText } from './visible-state';

/** All of a call's input but what the call itself says. */
export type ToolRunnerOptions = {
  readonly concurrency: number;
  readonly tools: readonly ToolFacts[];
  /** What goes along with a call of this tool; long arguments are replaced by where they stand in the log. */
  readonly contextOf: (tool: ToolFacts) => ToolCallContext;
  /** Calls an agent instead, when the name is one's; told of the calls that have yet to start. */
  readonly callAgent: (
    call: PendingToolCall,
    waiting: readonly PendingToolCall[],
  ) => Promise<ToolArrival> | undefined;
  readonly argumentsOf: (call: PendingToolCall) => Pick<CallToolInput, 'args' | 'byReference'>;
  /** What was found about the arguments beside the model call; undefined where they changed since. */
  readonly judgedArguments: (call: PendingToolCall) => CheckArgumentsResult | undefined;
};

export class ToolRunner {
  readonly arrived: ToolArrival[] = [];
  readonly #options: ToolRunnerOptions;
  readonly #started = new Set<string>();
  readonly #waiting: PendingToolCall[] = [];
  #running = 0;

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  get idle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0 && this.arrived.length === 0;
  }

  /** Whether no call is running, or waiting to. */
  get settled(): boolean {
    return this.#running === 0;
  }

  start(calls: readonly PendingToolCall[]): void {
    for (const call of calls) {
      const key = `${call.turn}.${call.index}`;
      if (this.#started.has(key)) continue;
      this.#started.add(key);
      if (call.kind === 'malformed') this.arrived.push(malformed(call));
      else this.#waiting.push(call);
    }
    this.#launch();
  }

  /** The results that have arrived since. A failure that ends the run is thrown after them: they belong to its history. */
  take(): ResultArrival[] {
    const arrivals = this.arrived.splice(0);
    const results = arrivals.filter((arrival) => arrival.kind === 'result');
    const failed = arrivals.find((arrival) => arrival.kind === 'failed');
    if (failed === undefined) return results;
    if (results.length === 0) throw failed.error;
    this.arrived.push(failed);
    return results;
  }

  #launch(): void {
    while (this.#running < this.#options.concurrency) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      this.#running += 1;
      void this.#run(call).then((arrival) => {
        this.#running -= 1;
        this.arrived.push(arrival);
        this.#launch();
      });
    }
  }

  async #run(pending: PendingToolCall): Promise<ToolArrival> {
    const { call, turn, index } = pending;
    const called = this.#options.callAgent(pending, this.#waiting);
    if (called !== undefined) return await called;
    const tool = this.#options.tools.find((candidate) => candidate.name === call.name);
    if (tool === undefined) return errorResult(pending, `There is no tool '${call.name}'.`);
    const bytes = utf8Length(JSON.stringify(call.args));
    if (bytes > limits.toolArguments) {
      return errorResult(
        pending,
        `The arguments have ${bytes} bytes; at most ${limits.toolArguments} are taken.`,
      );
    }
    try {
      const summary = `#${turn} ${call.name} ${oneLine(argumentText(call), limits.summary)}`;
      if (tool.activity !== undefined) {
        const { activity } = tool;
        const { definition } = this.#options.contextOf(tool);
        const judged = this.#options.judgedArguments(pending);
        const call = { tool, activity, pending, summary, definition, judged };
        return resultOf(pending, await callActivityTool(call));
      }
      const { entry, session } = await whereRegistered((isElsewhere) =>
        toolActivities(tool, summary, isElsewhere).callTool({
          ...this.#options.contextOf(tool),
          turn,
          index,
          callId: call.callId,
          tool: call.name,
          ...this.#options.argumentsOf(pending),
        }),
      );
      return {
        kind: 'result',
        result: entry.result,
        entryId: entry.id,
        ...(session && { session }),
      };
    } catch (error) {
      return failedCall(pending, tool, error);
    }
  }
}

/**
 * A worker that lacks the tool's code leaves the call to another one of a rolling deploy. No attempt of the tool is spent on it.
 */
async function whereRegistered<Result>(
  call: (isElsewhere: boolean) => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + timeouts.definitionSearch;
  for (let isElsewhere = false; ; isElsewhere = true) {
    try {
      return await call(isElsewhere);
    } catch (error) {
      if (!isNotRegistered(error) || Date.now() >= deadline) throw error;
      await sleep(timeouts.searchPause);
    }
  }
}

function isNotRegistered(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === 'NotRegisteredHere';
}

function failedCall(pending: PendingToolCall, tool: ToolFacts, error: unknown): ToolArrival {
  if (isCancellation(error) || !(error instanceof ActivityFailure))
    return { kind: 'failed', error };
  if (isOfCallbacks(error.cause)) return { kind: 'failed', error };
  if (isNotRegistered(error)) {
    const text = `The tool '${pending.call.name}' is not available any more: no worker has its code.`;
    return errorResult(pending, text);
  }
  const timedOut = error.cause instanceof TimeoutFailure;
  if (tool.effect === 'once' && timedOut) {
    const text =
      'OutcomeUnknown: the call was cut off and may or may not have taken effect. Check before repeating it.';
    return errorResult(pending, text);
  }
  const reason = timedOut ? 'it did not finish in time' : (error.cause?.message ?? error.message);
  const text = `The tool '${pending.call.name}' failed: ${oneLine(reason, limits.failureMessage)}`;
  if (tool.onError === 'fail')
    return {
      kind: 'failed',
      error: new ToolError(text, { cause: error, details: { tool: pending.call.name } }),
    };
  return errorResult(pending, text);
}

function malformed(pending: PendingToolCall): ToolArrival {
  const reason = pending.call.argsError ?? 'not a JSON object';
  return errorResult(
    pending,
    `The arguments are not valid: ${reason}. Call the tool again with a JSON object.`,
  );
}
