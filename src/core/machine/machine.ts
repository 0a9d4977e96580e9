/*
 * The state of a run and the few ways to change it. Other files decide which change an event needs.
 *
 * M1. Every move passes a check against the table of transitions. It replaces states and counters, and never changes them in place.
 * M2. A turn enters the log whole, and the decisions that amend it follow at once. An empty turn never enters the log.
 */
import type { LonghaulError } from '../../protocol/errors';
import type { Decision, LogEvent } from '../../protocol/log';
import type { Message, UserMessage } from '../../protocol/message';
import { type MachineFailure, toError } from '../failure';
import { workingTurn } from './invalid-tool-calls';
import type { StoredOptions } from './options';
import { plainJson } from '../../base';
import { type EventLog, RunRecord } from './run-record';
import {
  type AcceptedTurn,
  type Counters,
  noCounts,
  type MachineState,
  type StoredMachine,
  type RunStateKind,
} from './run-state';
import { stateFormat } from './state-json';
import { textMessage } from '../transcript/transcript';
import { checkMove, expectEvent, type MachineEvent } from './transitions';
import { contentOf, isEmptyTurn, type WorkingPart } from './working-turn';

type MachineParts = {
  readonly options: StoredOptions;
  readonly record: RunRecord;
  readonly counters: Counters;
  readonly state: MachineState;
};

/** A run that is about to call the model. */
export const preparing = { kind: 'preparing', recordingOwed: false } as const;

export const promptEvent = (prompt: string | UserMessage): LogEvent => ({
  kind: 'user',
  message: typeof prompt === 'string' ? textMessage(prompt) : prompt,
});

export const decisionEvent = (decision: Decision): LogEvent => ({ kind: 'decision', decision });

export class Machine {
  readonly options: StoredOptions;
  readonly record: RunRecord;
  #counters: Counters;
  #state: MachineState;

  constructor(parts: MachineParts) {
    this.options = parts.options;
    this.record = parts.record;
    this.#counters = parts.counters;
    this.#state = parts.state;
  }

  /** `events` come before the first model call. */
  static start(events: readonly LogEvent[], options: StoredOptions, log: EventLog): Machine {
    const record = new RunRecord(log);
    record.append(...plainJson(events));
    return new Machine({ options, record, counters: noCounts, state: preparing });
  }

  /** `log` is the log that the machine had written. */
  static fromState(stored: StoredMachine, log: EventLog): Machine {
    const { options, completionCalls, state, ...rest } = plainJson(stored);
    const { format: _format, ...counters } = rest;
    return new Machine({ options, record: new RunRecord(log, completionCalls), counters, state });
  }

  get state(): MachineState {
    return this.#state;
  }

  get counters(): Counters {
    return this.#counters;
  }

  get maxTurns(): number {
    return this.options.maxTurns ?? 1;
  }

  /** Returns the current state. Throws a protocol error if it does not expect this event. The table lists `kinds` for the event. */
  expect<Kind extends RunStateKind>(
    event: MachineEvent,
    ..._kinds: readonly Kind[]
  ): Extract<MachineState, { kind: Kind }> {
    expectEvent(this.#state.kind, event);
    return this.#state as Extract<MachineState, { kind: Kind }>;
  }

  move(event: MachineEvent, state: MachineState, counters: Partial<Counters> = {}): void {
    checkMove(this.#state.kind, event, state.kind);
    this.#state = state;
    this.#counters = { ...this.#counters, ...counters };
  }

  /** Moves to `failed`, and returns the error to throw. The error has the history of the run. */
  fail(event: MachineEvent, failure: MachineFailure): LonghaulError {
    this.move(event, { kind: 'failed', failure });
    return toError(failure, this.record.transcript.fullHistory());
  }

  /** The parts of a turn that is not in the log yet. */
  working(turn: AcceptedTurn): readonly WorkingPart[] {
    return workingTurn(turn, this.record.transcript.position);
  }

  commit(turn: AcceptedTurn, decisions: readonly Decision[] = []): void {
    if (isEmptyTurn(contentOf(this.working(turn)))) return;
    this.record.append(turn.event, ...[...turn.amendments, ...decisions].map(decisionEvent));
  }

  fullHistory(): Message[] {
    return this.record.transcript.fullHistory();
  }

  toState(): StoredMachine {
    return {
      format: stateFormat,
      options: this.options,
      ...this.#counters,
      completionCalls: this.record.calls.slice(),
      state: this.#state,
    };
  }
}
