/*
 * The state of a run and the few ways to change it; which change an event asks for is decided elsewhere.
 *
 * M1. Every move is checked against the table of transitions. States and counters are replaced, never changed in place.
 * M2. A turn enters the log whole, followed at once by the decisions that amend it; an empty turn never does.
 */
import type { LonghaulError } from '../../protocol/errors';
import type { Decision, LogEvent } from '../../protocol/log';
import type { Message, UserMessage } from '../../protocol/message';
import { type MachineFailure, toError } from '../failure';
import { workingTurn } from './invalid-tool-calls';
import type { StoredOptions } from './options';
import { plainJson } from '../../base/json';
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

  /** `events`: what comes before the first model call. */
  static start(events: readonly LogEvent[], options: StoredOptions, log: EventLog): Machine {
    const record = new RunRecord(log);
    record.append(...plainJson(events));
    return new Machine({ options, record, counters: noCounts, state: preparing });
  }

  /** `log` is what the machine had written. */
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

  /** The current state, if it expects this event; otherwise a protocol error. `kinds` are those the table names for it. */
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

  /** The error to throw; its history is the run's own. */
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
