/*
 * The agent loop as a state machine without IO. It knows no Temporal, no provider, no clock, no randomness, no stream.
 *
 * 1. `turn` <= `maxTurns`. `turn` is the exact number of model calls, with retries and re-prompts. A re-issued call is not a new call.
 * 2. The run bills every consumed attempt once, before it validates the turn.
 * 3. A protocol error changes nothing. A semantic error moves to `failed`, and every later `nextStep` throws it again.
 * 4. The log only grows, and `foldLog(log)` equals `fullHistory()` after every event.
 * 5. You can always send `fullHistory()` to a provider: every call has exactly one result in the next message. After a compaction it is
 *    smaller than the log. `messages` is always the whole conversation.
 * 6. `fromJSON(toJSON())` continues exactly as the uninterrupted run.
 * 7. `transitions.ts` lists which event fits which state, and the state after it. `turn-plan.ts` decides what follows from a turn.
 */

import { defined, type Json, type JsonObject, plainJson, textOfParts } from '../../base';
import { LonghaulError } from '../../protocol/errors';
import type {
  Clearing,
  LogEvent,
  NewEntry,
  PersonNote,
  SummaryEvent,
  ToolResultEvent,
  UserEvent,
} from '../../protocol/log';
import type { CompletionCall, Message, Usage, UserMessage } from '../../protocol/message';
import { acceptTurn } from './accepted-turn';
import { advance, batchOf, takeResults } from './advance';
import { toError } from '../failure';
import { ignoreInvalidCall, pendingContext, resolveInvalidCall, scan } from './invalid-call-events';
import { decisionEvent, Machine, preparing, promptEvent } from './machine';
import { type MachineOptions, storeOptions } from './options';
import {
  answerQuestion,
  approveCall,
  completeCall,
  deferCall,
  editCall,
  pendingInputs,
  rejectCall,
} from './person-events';
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

export const startMachine = (
  prompt: string | UserMessage,
  options: MachineOptions,
  log: EventLog,
): AgentMachine =>
  new AgentMachine(Machine.start([promptEvent(prompt)], storeOptions(options), log));

/**
 * One run of an agent. Ask it for the next step, do the step, and feed the answer back. The workflows drive this class. `AgentRun` of
 * `longhaul/agent-run` adds methods that workflows never use, so the workflow bundle does not contain them.
 */
export class AgentMachine {
  protected machine: Machine;

  constructor(machine: Machine) {
    this.machine = machine;
  }

  /**
   * Restores a run from the result of `toJSON` and the log that the run had written. Throws a `StateError` for a state that this version
   * does not know.
   */
  static fromJSON(state: StoredMachine, log: EventLog): AgentMachine {
    return new AgentMachine(Machine.fromState(readState(state), log));
  }

  /** The next thing to do. While the run waits for an answer, this returns the same step again, at no cost. */
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

  /**
   * Makes the prompt smaller: a summary in place of older turns, or notes in place of older results. Only before a model call, so never
   * between a call and its result. `through` counts the model turns of the log. The last one cannot be summarised.
   */
  compact(entry: NewEntry<SummaryEvent> | Clearing): void {
    const state = this.machine.expect('compact', 'awaiting-model');
    const { turns } = this.machine.record.transcript;
    const most = entry.kind === 'summary' ? Math.max(0, turns - 1) : turns;
    if (!Number.isSafeInteger(entry.through) || entry.through < 0 || entry.through > most)
      throw new LonghaulError(
        'ProtocolError',
        `A compaction through turn ${entry.through} does not fit a log of ${turns} turns; give a whole number from 0 to ${most}.`,
      );
    this.machine.record.append(plainJson(entry.kind === 'summary' ? entry : decisionEvent(entry)));
    this.machine.move('compact', state);
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

  /** Drops the call from the turn. The other calls run. */
  ignoreInvalidToolCall(): ModelTurnOutcome {
    return ignoreInvalidCall(this.machine);
  }

  /** Takes the result of an open call. If the entry has an id, the log keeps that id. */
  toolResult(entry: NewEntry<ToolResultEvent>): void {
    this.takeResults([plainJson(entry)]);
  }

  protected takeResults(entries: readonly NewEntry<ToolResultEvent>[]): void {
    const { slots } = this.machine.expect('toolResults', 'executing-tools');
    const results = addressResults(batchOf(this.machine, slots), entries);
    if (results.length > 0) takeResults(this.machine, 'toolResults', { slots, results });
  }

  /** Takes a person's answer to a question. */
  answer(input: { readonly inputId: string; readonly text: string }): void {
    answerQuestion(this.machine, input);
  }

  /** Lets a call run. `edit` replaces the arguments of the call. */
  approve(inputId: string, edit?: { readonly args: JsonObject }): void {
    approveCall(this.machine, inputId, edit?.args);
  }

  /** Refuses a call. The call does not run, and the model sees the reason. */
  reject(inputId: string, reason: string): void {
    rejectCall(this.machine, inputId, reason);
  }

  /** Changes the arguments of a waiting call, which goes on waiting. Returns its new input id. */
  edit(inputId: string, args: JsonObject): string {
    return editCall(this.machine, inputId, args);
  }

  /** The call has begun, and its result will come from elsewhere. From now on the call is an open input. Returns the id of the input. */
  defer(call: { readonly turn: number; readonly index: number }): string {
    return deferCall(this.machine, call);
  }

  /** Takes the result of a deferred call. */
  complete(inputId: string, result: { readonly value: Json; readonly isError: boolean }): void {
    completeCall(this.machine, inputId, result);
  }

  /** Adds to the log what people decided or saw. It changes nothing else. */
  note(note: PersonNote): void {
    const state = this.machine.expect(
      'note',
      'awaiting-model',
      'executing-tools',
      'awaiting-input',
      'done',
    );
    this.machine.record.append(plainJson(decisionEvent(note)));
    this.machine.move('note', state);
  }

  /**
   * Gives the model the messages that people sent while the run worked: before a model call, or after the last answer. That answer is then
   * a turn like any other. Returns false and changes nothing if the run is done and has no turn left, or if the provider goes on with a
   * turn that it paused.
   */
  steer(messages: readonly Omit<UserEvent, 'kind'>[]): boolean {
    const state = this.machine.expect('steer', 'awaiting-model', 'done');
    const isDone = state.kind === 'done';
    if (this.isPaused || (isDone && !this.hasTurnLeft)) return false;
    const events = messages.map((message): LogEvent => ({ ...message, kind: 'user' }));
    this.machine.record.append(...plainJson(events));
    this.machine.move('steer', isDone ? preparing : state);
    return true;
  }

  get hasTurnLeft(): boolean {
    return this.turn < this.machine.maxTurns;
  }

  /** The provider paused its last turn and goes on with it: no message may come before that. */
  get isPaused(): boolean {
    return this.machine.record.transcript.isPaused;
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

  /** Everything that happened, in order. The log only grows. */
  get log(): readonly LogEvent[] {
    return this.machine.record.log;
  }

  /** The messages of this run, without a caller's history. Calls that are still running have no results. */
  get messages(): readonly Message[] {
    return this.machine.record.transcript.messages;
  }

  /** The conversation as the model gets it. You can send it to any provider. */
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

/** The result of a finished run. Its content is the last message. An empty turn leaves no message, so its content is in the state. */
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
