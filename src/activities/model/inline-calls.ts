// Runs tool calls of a turn in the activity of its model call, so that they need no activity. It gets the stream of the model (`see`) and
// then the whole turn (`results`). It returns the results that fit, and the indexes of calls that began but have no result.
//
// 1. A call begins early, during the stream, only if its tool only reads, and only in a first attempt. So a call that kills its worker does
//    not do so for ever, and the model is not paid for twice.
// 2. All other calls begin after the server has the turn.
// 3. A call that fails or takes too long has no result. This was its first attempt: the run makes the next one in a separate activity.
// 4. The turn and its results fit one payload. Before calls begin, `#thatMayBegin` reserves the largest result of each. After they end,
//    `#outcome` counts the real bytes.
// 5. Once a call that acts may have begun, the turn stands: this attempt returns it, with the results so far, whatever cuts the call. If
//    the attempt is lost, the server has the turn, and the next attempt or the run continues from there.

import { Context } from '@temporalio/activity';
import { defined, type JsonObject, utf8Length } from '../../base';
import { mayRunInline } from '../../core/loop-config';
import { keptTurn } from '../../core/kept-turn';
import {
  type CallModelResult,
  type CallToolInput,
  type CallToolResult,
  limits,
  timeouts,
  type ToolCallPart,
  type ToolSpec,
} from '../../protocol';
import type { ModelDelta } from '../../providers';
import { atOnce } from '../../stores/index';
import { anySignal } from '../any-signal';
import type { CallbackChain } from '../callbacks';
import { callLog, logFailure, withinCallLog } from '../call-log';
import { describeError } from '../failures';
import type { Beats } from '../heartbeat';
import { isAskedByRun } from '../open-calls';
import { scopeOfCall } from '../results/stored-results';
import { runCall, runnableTool } from '../tool/run-call';
import { untilAborted } from '../user-code';
import { EarlyCalls } from './early-calls';
import { type CalledModel, turnNames } from './model-callbacks';
import type { TurnCall } from './turn-checks';

/** A call that may run inline, on this worker. */
type InlineCall = {
  readonly index: number;
  readonly part: ToolCallPart & { readonly args: JsonObject };
  readonly tool: ToolSpec;
};

type BegunCall = InlineCall & {
  /** Never rejects. Undefined if the call failed or was stopped. */
  readonly result: Promise<CallToolResult | undefined>;
  readonly isRunning: () => boolean;
  readonly stop: () => void;
};

type InlineOptions = {
  readonly call: TurnCall & { readonly chain: CallbackChain | undefined };
  readonly origin: string;
  readonly beats: Pick<Beats, 'heartbeat' | 'keep' | 'tell' | 'stand'>;
};

/** The results have to fit beside `entry` and `session`. */
type InlineTurn = Pick<CallModelResult, 'entry' | 'session' | 'costUsd'> & {
  readonly called: CalledModel;
};

type InlineResults = Pick<CallModelResult, 'results' | 'unfinished'>;

export class InlineCalls {
  readonly #options: InlineOptions;
  readonly #allowed: readonly string[];
  readonly #stopping = new AbortController();
  readonly #early = new EarlyCalls<BegunCall>((part, index) => this.#beginEarly(part, index));
  readonly #context = Context.current();
  readonly #isFirstAttempt = this.#context.info.attempt === 1;
  #stands = false;

  constructor(options: InlineOptions) {
    const { signal, spec } = options.call;
    this.#options = options;
    this.#allowed = turnNames(spec).allowed;
    signal.addEventListener('abort', () => void this.#leave(signal.reason as Error), {
      once: true,
    });
  }

  /** The server wants the attempt to end. The calls of a turn that stands go on if the run is not cancelled, but only got a message. */
  async #leave(reason: Error): Promise<void> {
    const mayGoOn = this.#stands && isAskedByRun(reason);
    if (!mayGoOn || (await isRunCancelled(this.#context))) this.stop(reason);
  }

  /** Begins complete calls of tools that only read, while the model still writes. */
  see(delta: ModelDelta): void {
    this.#early.see(delta);
  }

  /** Ends every call that still runs. */
  stop(reason = new Error('the turn ended')): void {
    this.#stopping.abort(reason);
  }

  /** Makes the calls of the turn that may run inline. A call that began early is stopped if the turn does not have it. */
  async results(turn: InlineTurn): Promise<InlineResults> {
    const calls = this.#callsOf(turn);
    if (calls.length === 0) return {};
    const room = roomBeside(turn);
    const early = calls.flatMap(({ index, part }) => this.#early.take(index, part) ?? []);
    const others = calls.filter(({ index }) => early.every((begun) => begun.index !== index));
    const begun: BegunCall[] = [...early];
    const fitting = await this.#thatMayBegin(others, early, { ...turn, room });
    const stopTimer = this.#startTimer();
    try {
      await atOnce(this.#concurrency, [...early, ...fitting], async (call) => {
        if ('result' in call) return void (await call.result);
        if (this.#stopping.signal.aborted) return;
        const own = this.#begin(call);
        begun.push(own);
        await own.result;
      });
    } finally {
      stopTimer();
    }
    return await this.#outcome(begun, room);
  }

  /** The calls of the turn that may run inline. None if the machine or a callback would not run all calls of the turn. */
  #callsOf({ entry, called }: InlineTurn): readonly InlineCall[] {
    const { content, finishReason, checks } = entry;
    if (called.toCheck === undefined || called.checks !== undefined) return [];
    if (finishReason !== 'tool_calls' && finishReason !== 'stop') return [];
    const parts = content.filter((part) => part.type === 'tool_call');
    if (parts.some(({ name, args }) => args === null || !this.#allowed.includes(name))) return [];
    return parts.flatMap((part, index) =>
      checks?.approvals?.includes(index) ? [] : (this.#inlineCall(part, index) ?? []),
    );
  }

  #inlineCall(part: ToolCallPart, index: number): InlineCall | undefined {
    const { definition, spec, dependencies, input } = this.#options.call;
    const { name, args, callId } = part;
    const tool = spec.tools?.includes(name) ? definition.tools[name] : undefined;
    if (tool === undefined || !this.#allowed.includes(name)) return undefined;
    if (args === null || callId === '') return undefined;
    if (!mayRunInline(spec, tool)) return undefined;
    if (utf8Length(JSON.stringify(args)) > limits.toolArguments) return undefined;
    const isHere = runnableTool(dependencies, tool, scopeOfCall(input.definition)) !== undefined;
    return isHere ? { index, part: { ...part, args }, tool } : undefined;
  }

  #beginEarly(part: ToolCallPart, index: number): BegunCall | undefined {
    const { chain } = this.#options.call;
    const call = chain === undefined ? this.#inlineCall(part, index) : undefined;
    if (call?.tool.effect !== 'read' || call.tool.needsApproval) return undefined;
    const mayBegin = this.#isFirstAttempt && this.#early.running < this.#concurrency;
    return mayBegin ? this.#begin(call) : undefined;
  }

  #begin(inline: InlineCall): BegunCall {
    const { call, beats } = this.#options;
    const { timeoutMs = timeouts.toolStartToClose } = inline.tool;
    const own = new AbortController();
    const late = tookLonger(timeoutMs);
    const timer = setTimeout(() => own.abort(late), timeoutMs);
    const signal = anySignal([this.#stopping.signal, own.signal]);
    const made = {
      ...call,
      input: this.#inputOf(inline),
      signal,
      // It drops the tool's details, because the details of this activity are the model's response.
      heartbeat: () => beats.heartbeat(),
      isTriedAgain: true,
      deadline: Infinity,
    };
    let isRunning = true;
    const run = (): Promise<CallToolResult> => untilAborted(() => runCall(made), signal);
    const result = withinCallLog(made.input, run)
      .then(({ entry, ...rest }): CallToolResult => ({
        entry: { ...entry, inline: true },
        ...rest,
      }))
      .catch((error: unknown) => {
        // A call that was stopped has not failed.
        if (!signal.aborted || signal.reason === late)
          logFailure('warn', `tool '${inline.tool.name}' failed inline`, error);
        return undefined;
      })
      .finally(() => {
        clearTimeout(timer);
        isRunning = false;
      });
    return { ...inline, result, isRunning: () => isRunning, stop: () => own.abort() };
  }

  /** The same input as for a call in a separate activity. */
  #inputOf({ index, part, tool }: InlineCall): CallToolInput {
    const { input, chain } = this.#options.call;
    const { definition, agentId, path, turn, context, contextByReference, iteration } = input;
    return {
      definition,
      agentId,
      turn,
      index,
      callId: part.callId,
      tool: tool.name,
      args: structuredClone(part.args),
      origin: this.#options.origin,
      session: chain?.session ?? input.session ?? {},
      ...defined({ path, context, contextByReference, iteration }),
    };
  }

  /** The calls with results that fit. None if the server does not take the turn now. */
  async #thatMayBegin(
    calls: readonly InlineCall[],
    early: readonly BegunCall[],
    { room, entry, session, costUsd }: InlineTurn & { readonly room: number },
  ): Promise<readonly InlineCall[]> {
    const { beats } = this.#options;
    let left = early.reduce((rest, { tool }) => rest - largestResult(tool), room);
    const fitting = calls.filter(({ tool }) => {
      left -= largestResult(tool);
      return left >= 0;
    });
    if (fitting.length === 0) {
      if (early.some(({ isRunning }) => isRunning())) beats.heartbeat();
      return [];
    }
    try {
      const begun = [...early, ...fitting].map(({ index }) => index);
      beats.keep(keptTurn({ entry, ...defined({ session, costUsd }), begun }));
      await beats.tell();
      const acts = fitting.some(({ tool }) => tool.effect !== 'read');
      this.#stands = acts && beats.stand();
      return acts && !this.#stands ? [] : fitting;
    } catch (error) {
      callLog().debug(
        'the calls of a turn do not run inline: the server did not take its response',
        {
          error: describeError(error),
        },
      );
      return [];
    }
  }

  #startTimer(): () => void {
    const ms = this.#options.call.spec.inlineTimeout ?? timeouts.inline;
    const timer = setTimeout(() => this.stop(tookLonger(ms)), ms);
    return () => clearTimeout(timer);
  }

  async #outcome(begun: readonly BegunCall[], room: number): Promise<InlineResults> {
    const { dependencies, input } = this.#options.call;
    const results: CallToolResult[] = [];
    const unfinished: number[] = [];
    let left = room;
    for (const call of begun.toSorted((one, other) => one.index - other.index)) {
      const result = await call.result;
      const bytes = result === undefined ? Infinity : utf8Length(JSON.stringify(result));
      if (result === undefined || bytes > left) {
        unfinished.push(call.index);
        continue;
      }
      left -= bytes;
      dependencies.logCache.offer(input.log.workflowId, result.entry);
      results.push(result);
    }
    return {
      ...(results.length > 0 && { results }),
      ...(unfinished.length > 0 && { unfinished }),
    };
  }

  get #concurrency(): number {
    const { toolConcurrency = limits.toolConcurrency } = this.#options.call.spec;
    return Math.min(toolConcurrency, limits.maxToolConcurrency);
  }
}

/** If the server does not answer, this returns false: the calls then go on until `inlineTimeout`. */
async function isRunCancelled({ client, info }: Context): Promise<boolean> {
  const { workflowId = '', runId } = info.workflowExecution ?? {};
  const handle = client.workflow.getHandle(workflowId, runId);
  try {
    // It needs a new signal, because the signal of the attempt has aborted.
    const { raw } = await client.withAbortSignal(new AbortController().signal, () =>
      client.withDeadline(Date.now() + timeouts.serverCheck, () => handle.describe()),
    );
    return raw.workflowExtendedInfo?.cancelRequested === true;
  } catch {
    return false;
  }
}

function tookLonger(ms: number): Error {
  return new Error(`it took longer than ${ms} ms`);
}

/** Room for the other members, such as the cost. */
const frameBytes = 1_024;

function roomBeside({ entry, session }: InlineTurn): number {
  return limits.payload - frameBytes - utf8Length(JSON.stringify({ entry, session }));
}

/** The largest text of a result. Media and session changes may make a result larger: then it is dropped. */
function largestResult({ maxResultBytes = limits.toolResultShown }: ToolSpec): number {
  return maxResultBytes;
}
