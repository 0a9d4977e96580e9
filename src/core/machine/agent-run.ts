/*
 * The agent loop as a state machine without IO. It knows no Temporal, no provider, no clock, no randomness.
 *
 * 1. `turn` <= `maxTurns`: the exact number of model calls, retries and re-prompts included; a re-issued call is not a new one.
 * 2. Every consumed attempt is billed once, before its turn is validated.
 * 3. A protocol error changes nothing; a semantic error moves to `failed` and is thrown again by every later `nextStep`.
 * 4. The log only grows, and `foldLog(log)` equals `fullHistory()` after every event.
 * 5. `fullHistory()` can always be sent to a provider: every call has exactly one result in the next message.
 * 6. `fromJSON(toJSON())` continues exactly as the uninterrupted run.
 * 7. Which event fits which state, and where it leads, stands in `transitions.ts`; what a turn leads to, in `turn-plan.ts`.
 */
import { isJsonObject, type JsonObject } from '../../base/json';
import type { LogEvent } from '../../protocol/log';
import type {
  CompletionCall,
  Message,
  ToolResult,
  Usage,
  UserMessage,
} from '../../protocol/message';
import { acceptTurn } from './accepted-turn';
import { advance, batchOf, preparing, takeResults } from './advance';
import { checkHistory } from './caller-history';
import { ProtocolError, RunCancelled } from '../errors';
import { toError } from '../failure';
import { ignoreInvalidCall, pendingContext, resolveInvalidCall, scan } from './invalid-call-events';
import { decisionEvent, Machine } from './machine';
import type { AgentRunOptions } from './options';
import { storeOptions } from './options';
import { plainJson } from '../../base/plain-json';
import { answerQuestion, approveCall, pendingInputs, rejectCall } from './person-events';
import { toResponse } from './response';
import { RunRecord } from './run-record';
import type { AgentRunState, RunState } from './run-state';
import { noCounts } from './run-state';
import type {
  AgentRunResponse,
  AgentRunStep,
  CompletionCallHead,
  InvalidToolCallAction,
  InvalidToolCallContext,
  ModelTurn,
  ModelTurnOutcome,
  PendingInput,
} from './steps';
import { acceptStreamed, markRecorded, resolveStreamed, streamedContext } from './stream-events';
import type { PartialTurn, StreamedInvalidToolCall, StreamedResolution } from './streamed-turn';
import { addressResults, pendingCalls } from './tool-batch';
import { textMessage } from '../transcript/transcript';
import { callsOf, contentOf } from './working-turn';

/**
 * One run of an agent: ask it for the next step, do it, feed the answer back.
 *
 * @example
 * const run = new AgentRun('What is the weather in Paris?', { maxTurns: 4 });
 * for (let step = run.nextStep(); step.kind !== 'done'; step = run.nextStep()) {
 *   if (step.kind === 'call-model') run.modelResponse(await callModel([...step.history, step.prompt]));
 *   if (step.kind === 'call-tools') run.toolResults(await Promise.all(step.calls.map(callTool)));
 * }
 */
export class AgentRun {
  #machine: Machine;

  constructor(prompt: string | UserMessage, options: AgentRunOptions = {}) {
    const history = options.history ?? [];
    checkHistory(history);
    const message = typeof prompt === 'string' ? textMessage(prompt) : prompt;
    const log: LogEvent[] = [{ kind: 'user', message }];
    if (history.length > 0) log.unshift(decisionEvent({ kind: 'history', messages: history }));
    const record = RunRecord.of(plainJson(log), []);
    this.#machine = new Machine({
      options: storeOptions(options),
      record,
      counters: noCounts,
      state: preparing,
    });
  }

  /** A run as it was when `toJSON` was called; a state this version does not know is a `StateError`. */
  static fromJSON(state: AgentRunState): AgentRun {
    return AgentRun.#of(Machine.fromState(state));
  }

  static #of(machine: Machine): AgentRun {
    const run = new AgentRun('');
    run.#machine = machine;
    return run;
  }

  /** What to do next. While an answer is awaited the step is given again, at no cost. */
  nextStep(): AgentRunStep {
    const state = this.#machine.expect('nextStep');
    switch (state.kind) {
      case 'preparing':
        return this.#prepare();
      case 'awaiting-model':
        this.#machine.move('nextStep', { kind: 'awaiting-model', recorded: false });
        return this.#callModel();
      case 'awaiting-advance':
        advance(this.#machine, state.turn);
        return this.nextStep();
      case 'failed':
        throw toError(state.failure, this.fullHistory());
      case 'done':
        return { kind: 'done', response: toResponse(this.#machine, state) };
      default:
        return this.#waitStep(state);
    }
  }

  modelResponse(turn: ModelTurn): ModelTurnOutcome {
    const state = this.#machine.expect('modelResponse', 'awaiting-model');
    if (state.recorded)
      throw new ProtocolError(
        'This model call was recorded as a streamed one; give its turn to streamedTurn.',
      );
    const accepted = acceptTurn(this.#machine.options, turn);
    this.#machine.record.bill(this.turn, turn);
    return scan(this.#machine, 'modelResponse', accepted);
  }

  resolveInvalidToolCall(action: InvalidToolCallAction): ModelTurnOutcome {
    return resolveInvalidCall(this.#machine, action);
  }

  /** Drops the call from the turn; its siblings run. */
  ignoreInvalidToolCall(): ModelTurnOutcome {
    return ignoreInvalidCall(this.#machine);
  }

  /** One, several or all results of the open calls; all of them are taken or none. */
  toolResults(results: readonly ToolResult[]): void {
    const { slots } = this.#machine.expect('toolResults', 'executing-tools');
    const addressed = addressResults(batchOf(this.#machine, slots), plainJson(results ?? null));
    if (addressed.length > 0)
      takeResults(this.#machine, 'toolResults', { slots, results: addressed });
  }

  /** A person's answer to a question. */
  answer(input: { readonly inputId: string; readonly text: string }): void {
    answerQuestion(this.#machine, input);
  }

  /** Lets a call run, if need be with other arguments. */
  approve(inputId: string, edit?: { readonly args: JsonObject }): void {
    approveCall(this.#machine, inputId, edit?.args);
  }

  /** The call does not run; the model sees the reason. */
  reject(inputId: string, reason: string): void {
    rejectCall(this.#machine, inputId, reason);
  }

  /** Asks the model again: for the same, or with feedback. Not for a turn with tool calls. */
  retryModelTurn(
    how: { readonly kind: 'repeat' } | { readonly kind: 'feedback'; readonly text: string },
  ): void {
    const { turn } = this.#machine.expect('retryModelTurn', 'awaiting-advance');
    if (callsOf(contentOf(this.#machine.working(turn))).length > 0)
      throw new ProtocolError(
        'A turn with tool calls cannot be retried; answer its calls instead.',
      );
    if (!isJsonObject(how) || (how.kind !== 'feedback' && how.kind !== 'repeat'))
      throw new ProtocolError('A turn is retried with "repeat" or with "feedback".');
    if (how.kind === 'feedback') {
      this.#machine.commit(turn);
      this.#machine.record.append(decisionEvent({ kind: 'feedback', text: how.text }));
    }
    this.#machine.move('retryModelTurn', preparing);
  }

  /** The error for a driver that stops the run; it changes nothing. */
  cancelError(reason: string): RunCancelled {
    return new RunCancelled({ reason, history: this.fullHistory() });
  }

  recordStreamedCompletionCall(call: CompletionCallHead): CompletionCall {
    if (!isJsonObject(call)) throw new ProtocolError('A streamed model call has no head.');
    markRecorded(this.#machine);
    return this.#machine.record.bill(this.turn, call);
  }

  streamedInvalidToolCallContext(
    partial: PartialTurn,
    invalid: StreamedInvalidToolCall,
  ): InvalidToolCallContext {
    return streamedContext(this.#machine, partial, invalid);
  }

  resolveStreamedInvalidToolCall(
    partial: PartialTurn,
    invalid: StreamedInvalidToolCall,
    action: InvalidToolCallAction,
  ): StreamedResolution {
    return resolveStreamed(this.#machine, { partial, invalid }, action);
  }

  streamedTurn(turn: ModelTurn): void {
    acceptStreamed(this.#machine, acceptTurn(this.#machine.options, turn));
  }

  get usage(): Usage {
    return this.#machine.record.usage;
  }

  get turn(): number {
    return this.#machine.counters.turn;
  }

  get iterations(): number {
    return this.#machine.counters.iterations;
  }

  get completionCalls(): readonly CompletionCall[] {
    return this.#machine.record.calls;
  }

  /** Everything that happened, in order; it only grows. */
  get log(): readonly LogEvent[] {
    return this.#machine.record.log;
  }

  /** What this run added, the caller's history apart; calls that are being run stand there unanswered. */
  get messages(): readonly Message[] {
    return this.#machine.record.transcript.messages;
  }

  /** The whole conversation, ready for any provider. */
  fullHistory(): Message[] {
    return this.#machine.fullHistory();
  }

  get isDone(): boolean {
    return this.#machine.state.kind === 'done';
  }

  get response(): AgentRunResponse | undefined {
    const { state } = this.#machine;
    return state.kind === 'done' ? toResponse(this.#machine, state) : undefined;
  }

  get pendingInvalidToolCall(): InvalidToolCallContext | undefined {
    return pendingContext(this.#machine);
  }

  get pendingInputs(): readonly PendingInput[] {
    return pendingInputs(this.#machine);
  }

  clone(): AgentRun {
    return AgentRun.#of(this.#machine.clone());
  }

  toJSON(): AgentRunState {
    return this.#machine.toState();
  }

  #prepare(): AgentRunStep {
    const { maxTurns } = this.#machine;
    if (this.turn >= maxTurns)
      throw this.#machine.fail('nextStep', { kind: 'max-turns', limit: maxTurns });
    this.#machine.move(
      'nextStep',
      { kind: 'awaiting-model', recorded: false },
      { turn: this.turn + 1 },
    );
    return this.#callModel();
  }

  #callModel(): AgentRunStep {
    const { request } = this.#machine.record.transcript;
    return {
      kind: 'call-model',
      prompt: request.prompt,
      get history(): Message[] {
        return request.history;
      },
      turn: this.turn,
    };
  }

  #waitStep(state: RunState): AgentRunStep {
    const inputs = this.pendingInputs;
    if (state.kind !== 'executing-tools') return { kind: 'needs-input', inputs };
    const calls = pendingCalls(batchOf(this.#machine, state.slots));
    return calls.length > 0
      ? { kind: 'call-tools', calls, waiting: inputs }
      : { kind: 'needs-input', inputs };
  }
}
