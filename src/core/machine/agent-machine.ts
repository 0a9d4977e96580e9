/*
 * The agent loop as a state machine without IO. It knows no Temporal, no provider, no clock, no randomness, no stream.
 *
 * 1. `turn` <= `maxTurns`: the exact number of model calls, retries and re-prompts included; a re-issued call is not a new one.
 * 2. Every consumed attempt is billed once, before its turn is validated.
 * 3. A protocol error changes nothing; a semantic error moves to `failed` and is thrown again by every later `nextStep`.
 * 4. The log only grows, and `foldLog(log)` equals `fullHistory()` after every event.
 * 5. `fullHistory()` can always be sent to a provider: every call has exactly one result in the next message.
 * 6. `fromJSON(toJSON())` continues exactly as the uninterrupted run.
 * 7. Which event fits which state, and where it leads, stands in `transitions.ts`; what a turn leads to, in `turn-plan.ts`.
 */

import { defined, type JsonObject, plainJson } from '../../base/json';
import type { LogEvent, NewEntry, ToolResultEvent } from '../../protocol/log';
import type { CompletionCall, Message, Usage, UserMessage } from '../../protocol/message';
import { acceptTurn } from './accepted-turn';
import { advance, batchOf, takeResults } from './advance';
import { toError } from '../failure';
import { ignoreInvalidCall, pendingContext, resolveInvalidCall, scan } from './invalid-call-events';
import { Machine, promptEvent } from './machine';
import { type MachineOptions, storeOptions } from './options';
import { answerQuestion, approveCall, pendingInputs, rejectCall } from './person-events';
import type { EventLog } from './run-record';
import type { MachineState, StoredMachine } from './run-state';
import { readState } from './state-json';
import type {
  AgentRunResponse,
  InvalidToolCallAction,
  InvalidToolCallContext,
  MachineStep,
  ModelTurn,
  ModelTurnOutcome,
  MachineInput,
} from './steps';
import { addressResults, pendingCalls } from './tool-batch';
import { planTurn } from './turn-plan';
import { textOfParts } from '../../base/text';

export const startMachine = (
  prompt: string | UserMessage,
  options: MachineOptions,
  log: EventLog,
): AgentMachine =>
  new AgentMachine(Machine.start([promptEvent(prompt)], storeOptions(options), log));

/**
 * One run of an agent: ask it for the next step, do it, feed the answer back. The workflows drive this one; `AgentRun` of
 * `longhaul/agent-run` adds what they never use, so that it is not in their bundle.
 */
export class AgentMachine {
  protected machine: Machine;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  /**
   * A run as it was when `toJSON` was called, with the log it had written. Throws a `StateError` for a state that this version does not
   * know.
   */
  static fromJSON(state: StoredMachine, log: EventLog): AgentMachine {
    return new AgentMachine(Machine.fromState(readState(state), log));
  }

  /** What to do next. While an answer is awaited the step is given again, at no cost. */
  nextStep(): MachineStep {
    const state = this.machine.expect('nextStep');
    switch (state.kind) {
      case 'preparing':
        return this.#prepare();
      case 'awaiting-model':
        this.machine.move('nextStep', { kind: 'awaiting-model', recorded: false });
        return { kind: 'call-model', turn: this.turn };
      case 'awaiting-advance':
        advance(this.machine, state.turn, planTurn);
        return this.nextStep();
      case 'failed':
        throw toError(state.failure, this.fullHistory());
      case 'done':
        return { kind: 'done', response: toFinalResponse(this.machine, state) };
      default:
        return this.#waitStep(state);
    }
  }

  modelResponse(turn: ModelTurn): ModelTurnOutcome {
    this.machine.expect('modelResponse', 'awaiting-model');
    const accepted = acceptTurn(this.machine.options, turn);
    this.machine.record.bill(this.turn, turn);
    return scan(this.machine, 'modelResponse', accepted);
  }

  resolveInvalidToolCall(action: InvalidToolCallAction): ModelTurnOutcome {
    return resolveInvalidCall(this.machine, action);
  }

  /** Drops the call from the turn; its siblings run. */
  ignoreInvalidToolCall(): ModelTurnOutcome {
    return ignoreInvalidCall(this.machine);
  }

  /** The result of an open call. An entry that has an id goes into the log under it. */
  toolResult(entry: NewEntry<ToolResultEvent>): void {
    this.takeResults([plainJson(entry)]);
  }

  protected takeResults(entries: readonly NewEntry<ToolResultEvent>[]): void {
    const { slots } = this.machine.expect('toolResults', 'executing-tools');
    const results = addressResults(batchOf(this.machine, slots), entries);
    if (results.length > 0) takeResults(this.machine, 'toolResults', { slots, results });
  }

  /** A person's answer to a question. */
  answer(input: { readonly inputId: string; readonly text: string }): void {
    answerQuestion(this.machine, input);
  }

  /** Lets a call run, if need be with other arguments. */
  approve(inputId: string, edit?: { readonly args: JsonObject }): void {
    approveCall(this.machine, inputId, edit?.args);
  }

  /** The call does not run; the model sees the reason. */
  reject(inputId: string, reason: string): void {
    rejectCall(this.machine, inputId, reason);
  }

  get usage(): Usage {
    return this.machine.record.usage;
  }

  get turn(): number {
    return this.machine.counters.turn;
  }

  get iterations(): number {
    return this.machine.counters.iterations;
  }

  get completionCalls(): readonly CompletionCall[] {
    return this.machine.record.calls;
  }

  /** Everything that happened, in order; it only grows. */
  get log(): readonly LogEvent[] {
    return this.machine.record.log;
  }

  /** What this run added, a caller's history apart; calls that are being run stand there unanswered. */
  get messages(): readonly Message[] {
    return this.machine.record.transcript.messages;
  }

  /** The whole conversation, ready for any provider. */
  fullHistory(): Message[] {
    return this.machine.fullHistory();
  }

  get isDone(): boolean {
    return this.machine.state.kind === 'done';
  }

  get response(): AgentRunResponse | undefined {
    const { state } = this.machine;
    return state.kind === 'done' ? toFinalResponse(this.machine, state) : undefined;
  }

  get pendingInvalidToolCall(): InvalidToolCallContext | undefined {
    return pendingContext(this.machine);
  }

  get pendingInputs(): readonly MachineInput[] {
    return pendingInputs(this.machine);
  }

  toJSON(): StoredMachine {
    return this.machine.toState();
  }

  #prepare(): MachineStep {
    const { maxTurns } = this.machine;
    if (this.turn >= maxTurns)
      throw this.machine.fail('nextStep', { kind: 'max-turns', limit: maxTurns });
    this.machine.move(
      'nextStep',
      { kind: 'awaiting-model', recorded: false },
      { turn: this.turn + 1 },
    );
    return { kind: 'call-model', turn: this.turn };
  }

  #waitStep(state: MachineState): MachineStep {
    const inputs = this.pendingInputs;
    if (state.kind !== 'executing-tools') return { kind: 'needs-input', inputs };
    const calls = pendingCalls(batchOf(this.machine, state.slots));
    return calls.length > 0
      ? { kind: 'call-tools', calls, waiting: inputs }
      : { kind: 'needs-input', inputs };
  }
}

/** The result of a finished run: its content is the last message, unless the turn was empty and left none. */
function toFinalResponse(
  { record, counters }: Machine,
  state: Extract<MachineState, { kind: 'done' }>,
): AgentRunResponse {
  const last = record.transcript.last;
  const content = state.content ?? (last?.role === 'assistant' ? last.parts : []);
  return {
    text: textOfParts(content),
    content,
    ...defined({ structured: state.structured }),
    usage: record.usage,
    completionCalls: record.calls.slice(),
    messages: record.transcript.messages,
    iterations: counters.iterations,
    completionReason: state.completionReason,
  };
}
