/*
 * The agent loop for your own drivers. It adds to `AgentMachine`: a history to start from, an output tool, streamed turns, and turns
 * that a driver gives up. Longhaul's workflows use `AgentMachine`, and their bundle does not contain this file.
 */

import {
  type CompletionCall,
  LonghaulError,
  type Message,
  type NewEntry,
  type ToolMessage,
  type ToolResult,
  type UserMessage,
} from '../protocol';
import { isJsonObject, plainJson } from '../base';
import { RunCancelled } from '../core/errors';
import { acceptTurn } from '../core/machine/accepted-turn';
import { advance } from '../core/machine/advance';
import { AgentMachine } from '../core/machine/agent-machine';
import { decisionEvent, Machine, preparing, promptEvent } from '../core/machine/machine';
import { checkCount, type StoredOptions, storeOptions } from '../core/machine/options';
import type { EventLog } from '../core/machine/run-record';
import type { AgentRunState } from '../core/machine/run-state';
import { readRunState } from '../core/machine/state-json';
import type {
  CompletionCallHead,
  InvalidToolCallAction,
  InvalidToolCallContext,
  MachineStep,
  ModelTurn,
  ModelTurnOutcome,
} from '../core/machine/steps';
import { callsOf, contentOf } from '../core/machine/working-turn';
import { planWithOutput } from './output-plan';
import { acceptStreamed, markRecorded, resolveStreamed, streamedContext } from './stream-events';
import type { PartialTurn, StreamedInvalidToolCall, StreamedResolution } from './streamed-turn';

const answeredIds = (message: ToolMessage): string[] => message.parts.map(({ callId }) => callId);

const refusedAnswer = (index: number, problem: string): LonghaulError =>
  new LonghaulError(
    'ProtocolError',
    `The history cannot be sent to a provider: message ${index} ${problem}. Repair it before starting a run.`,
  );

/** Options of a run. By default it makes one model call: set `maxTurns`. */
export type AgentRunOptions = StoredOptions & {
  /** Messages before the prompt. Every request has them; the response's `messages` do not. */
  readonly history?: readonly Message[];
};

/** What to do next. */
export type AgentRunStep =
  | Exclude<MachineStep, { readonly kind: 'call-model' }>
  | {
      readonly kind: 'call-model';
      readonly prompt: Message;
      readonly history: readonly Message[];
      readonly turn: number;
    };

/**
 * One run of an agent, without Temporal. Ask for the next step, do it, and report what happened. Until you report, `nextStep` returns the
 * same step again. The state is plain JSON at any time: `toJSON` and `fromJSON`.
 *
 * | step | what you do | what you report |
 * |---|---|---|
 * | `call-model` | send `history`, then `prompt` | `modelResponse(turn)`, or `streamedTurn(turn)` |
 * | `call-tools` | run each of `calls` | `toolResults(results)`: one, some or all of them, in any order |
 * | `needs-input` | ask a person | `answer`, `approve`, `reject`, or `complete` for the result of a deferred call |
 * | `done` | use `response` | nothing |
 *
 * **Malformed calls.** If the arguments of a call are not a JSON object, set `args: null` in the turn. The step lists that call with the
 * kind `malformed`. Do not run it: report a result with `isError: true`.
 *
 * **Invalid calls.** A call is invalid if the turn does not offer its tool. `modelResponse` then returns `needs-resolution`, and you call
 * `resolveInvalidToolCall(action)`. The option `onInvalidToolCall` (`fail` or `ignore`) decides once for the run.
 *
 * | action | effect |
 * |---|---|
 * | `retry` | no call of the turn runs; the model gets your feedback and tries again, at most `maxInvalidToolCallRetries` times |
 * | `repair` | the call runs under another name |
 * | `skip` | no call of the turn runs; the model gets the reason |
 * | `fail`, `stop` | the run ends with `InvalidToolCall` or `RunCancelled` |
 *
 * **Limits.** A retry is a model call, too.
 *
 * | option | limit | default |
 * |---|---|---|
 * | `maxTurns` | model calls | 1 |
 * | `maxIterations` | rounds of tool calls | no limit |
 * | `maxInvalidToolCallRetries` | retries of invalid calls in the run | 0 |
 * | `maxConsecutiveMalformedToolCalls` | tool rounds in a row that hold a malformed call | no limit |
 *
 * **Typed output.** With `output: { tool: 'answer' }`, a call of that tool ends the run: `response.structured` has its arguments. If a
 * required top-level field is missing, the model is asked again, `output.retries` times (default 1).
 *
 * **Smaller prompts.** Call `compact` while the step is `call-model`, then ask for the step again. `{ kind: 'clear-results', through: 3,
 * over: 1024 }` puts a note in place of each result over 1,024 bytes in the first three model turns. `{ kind: 'summary', text, through: 3 }`
 * puts your text in place of these turns.
 *
 * **Errors.** An event that does not fit throws a `ProtocolError` and changes nothing. `fromJSON` throws a `StateError` for a state that
 * this version does not know. Every other error ends the run, has the `history` up to there, and every later `nextStep` throws it again:
 * `MaxTurnsExceeded`, `MaxIterationsExceeded`, `InvalidToolCall`, `TurnCut`, `RunCancelled`, `CallbackAbort`.
 *
 * @example
 * const run = new AgentRun('What is the weather in Paris?', { maxTurns: 4 });
 * for (let step = run.nextStep(); step.kind !== 'done'; step = run.nextStep()) {
 *   if (step.kind === 'call-model') run.modelResponse(await callModel([...step.history, step.prompt]));
 *   if (step.kind === 'call-tools') run.toolResults(await Promise.all(step.calls.map(callTool)));
 * }
 */
export class AgentRun extends AgentMachine {
  constructor(prompt: string | UserMessage, options: AgentRunOptions = {}) {
    const { history = [], ...stored } = options;
    checkHistory(history);
    checkCount('output.retries', options.output?.retries);
    const before =
      history.length > 0 ? [decisionEvent({ kind: 'history', messages: history })] : [];
    super(Machine.start([...before, promptEvent(prompt)], storeOptions(stored), new EventList()));
  }

  /** Continues a run from the state that `toJSON` returned. Throws a `StateError` for a state that this version does not know. */
  static override fromJSON(state: AgentRunState): AgentRun {
    const run = new AgentRun('');
    const { log, ...stored } = readRunState(state);
    try {
      run.machine = Machine.fromState(stored, new EventList(plainJson(log)));
      void run.pendingInputs; // What a person is asked is read in the log.
    } catch (cause) {
      if (LonghaulError.is(cause)) throw cause;
      throw new LonghaulError('StateError', 'The stored run is damaged: was it edited?', { cause });
    }
    return run;
  }

  override toJSON(): AgentRunState {
    return { ...super.toJSON(), log: this.log.slice() };
  }

  /** The next step. It stays the same until you report. Throws the run's error if the run has failed. */
  override nextStep(): AgentRunStep {
    const { state } = this.machine;
    if (state.kind === 'awaiting-advance') advance(this.machine, state.turn, planWithOutput);
    const step = super.nextStep();
    return step.kind === 'call-model' ? this.#callModel(step.turn) : step;
  }

  override modelResponse(turn: ModelTurn): ModelTurnOutcome {
    if (this.machine.expect('modelResponse', 'awaiting-model').recorded)
      throw new LonghaulError(
        'ProtocolError',
        'This model call was recorded as a streamed one. Give its turn to streamedTurn.',
      );
    return super.modelResponse(turn);
  }

  /** Reports results of open calls: one, some or all. If one is wrong, the run takes no result. */
  toolResults(results: readonly ToolResult[]): void {
    const given = plainJson(results ?? null);
    const list: unknown = given;
    if (!Array.isArray(list) || !list.every(isJsonObject))
      throw new LonghaulError('ProtocolError', 'toolResults takes a list of results.');
    this.takeResults(given.map((result) => ({ kind: 'tool-result', result })));
  }

  /** Calls the model again, with the same messages or with feedback. Not for a turn with tool calls. */
  retryModelTurn(
    how: { readonly kind: 'repeat' } | { readonly kind: 'feedback'; readonly text: string },
  ): void {
    const { turn } = this.machine.expect('retryModelTurn', 'awaiting-advance');
    if (callsOf(contentOf(this.machine.working(turn))).length > 0)
      throw new LonghaulError(
        'ProtocolError',
        'A turn with tool calls cannot be retried. Answer its calls instead.',
      );
    if (!isJsonObject(how) || (how.kind !== 'feedback' && how.kind !== 'repeat'))
      throw new LonghaulError(
        'ProtocolError',
        'retryModelTurn takes the kind "repeat" or "feedback".',
      );
    if (how.kind === 'feedback') {
      this.machine.commit(turn);
      this.machine.record.append(decisionEvent({ kind: 'feedback', text: how.text }));
    }
    this.machine.move('retryModelTurn', preparing);
  }

  /** Makes the error for a driver that stops the run. The run does not change. */
  cancelError(reason: string): RunCancelled {
    return new RunCancelled({ reason, history: this.fullHistory() });
  }

  /** Records the usage of a streamed model call. Call it once for each: before `streamedTurn`, or after the turn was abandoned. */
  recordStreamedCompletionCall(call: CompletionCallHead): CompletionCall {
    if (!isJsonObject(call))
      throw new LonghaulError(
        'ProtocolError',
        'recordStreamedCompletionCall takes the head of the call: {usage, …}.',
      );
    markRecorded(this.machine);
    return this.machine.record.bill(this.turn, call);
  }

  /** The facts about an invalid call in a turn that is still coming in. */
  streamedInvalidToolCallContext(
    partial: PartialTurn,
    invalid: StreamedInvalidToolCall,
  ): InvalidToolCallContext {
    return streamedContext(this.machine, partial, invalid);
  }

  /** Decides about that call. Pass the resolution to the assembler. */
  resolveStreamedInvalidToolCall(
    partial: PartialTurn,
    invalid: StreamedInvalidToolCall,
    action: InvalidToolCallAction,
  ): StreamedResolution {
    return resolveStreamed(this.machine, { partial, invalid }, action);
  }

  /** Reports a whole streamed turn. */
  streamedTurn(turn: ModelTurn): void {
    acceptStreamed(this.machine, acceptTurn(this.machine.options, turn));
  }

  /** An independent copy. */
  clone(): AgentRun {
    return AgentRun.fromJSON(this.toJSON());
  }

  #callModel(turn: number): AgentRunStep {
    const { transcript } = this.machine.record;
    const length = transcript.position;
    return {
      kind: 'call-model',
      get prompt(): Message {
        return transcript.viewOfFirst(length).at(-1) as Message;
      },
      get history(): Message[] {
        return transcript.viewOfFirst(length).slice(0, -1);
      },
      turn,
    };
  }
}

/** The run's log, in memory. */
class EventList implements EventLog {
  readonly entries: NewEntry[];

  constructor(events: readonly NewEntry[] = []) {
    this.entries = events.slice();
  }

  add(event: NewEntry): void {
    this.entries.push(event);
  }
}

/** Refuses a history that no provider accepts: every call needs exactly one result in the next message. */
function checkHistory(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const next = messages[index + 1];
    if (message.role === 'tool' && messages[index - 1]?.role !== 'assistant')
      throw refusedAnswer(
        index,
        'has tool results, but the message before it is not an assistant message',
      );
    if (message.role !== 'assistant') return;
    if (next?.role === 'assistant')
      throw refusedAnswer(index + 1, 'is the second assistant message in a row');
    const open = callsOf(message.parts).map(({ callId }) => callId);
    const answered = next?.role === 'tool' ? answeredIds(next) : [];
    const missing = without(open, answered);
    if (missing.length > 0)
      throw refusedAnswer(
        index,
        `has calls without a result in the next message: ${missing.join(', ')}`,
      );
    const foreign = without(answered, open);
    if (foreign.length > 0)
      throw refusedAnswer(
        index + 1,
        `has results without a call in the message before: ${foreign.join(', ')}`,
      );
  });
}

/** `ids` without `taken`. An id may occur more than once; each id in `taken` removes one. */
function without(ids: readonly string[], taken: readonly string[]): string[] {
  const left = ids.slice();
  for (const id of taken) {
    const at = left.indexOf(id);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}
