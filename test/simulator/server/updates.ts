// The updates of one run: from the request to the outcome. They live in the server's memory until the run has accepted them.
//
// 1. An update that the run refused, or that a task lost, leaves nothing in history.
// 2. The same update id is the same update, also after it is done.

import type { temporal } from '@temporalio/proto';
import type { UpdateRequest } from '../core/operations';
import { limits, messages } from './limits';

export type UpdateStage = 'admitted' | 'sent' | 'accepted' | 'completed';

type Outcome = temporal.api.update.v1.IOutcome;

export type Update = {
  readonly id: string;
  readonly request: temporal.api.update.v1.IRequest;
  stage: UpdateStage;
  outcome?: Outcome;
  acceptedEventId?: number;
  /** Called when the stage or the end is reached. */
  waiters: (() => void)[];
  /** Why the server gave it up. */
  lost?: 'closed' | 'forgotten';
};

export class Updates {
  /** Those that wait, and those that the run has taken in this execution. */
  readonly #all = new Map<string, Update>();

  get(id: string): Update | undefined {
    return this.#all.get(id);
  }

  /** Throws if the run has too many. */
  admit(request: temporal.api.update.v1.IRequest): Update {
    const id = request.meta?.updateId ?? '';
    const known = this.#all.get(id);
    if (known !== undefined) return known;
    const open = [...this.#all.values()].filter(({ stage }) => stage !== 'completed');
    if (open.length >= limits.updatesInFlight) throw new UpdateLimit(messages.updatesInFlight);
    if (this.#all.size >= limits.updates) throw new UpdateLimit(messages.updates);
    const update: Update = { id, request, stage: 'admitted', waiters: [] };
    this.#all.set(id, update);
    return update;
  }

  /** After a reset, or from the execution before. */
  restore(update: Update): void {
    this.#all.set(update.id, update);
  }

  get hasAdmitted(): boolean {
    return [...this.#all.values()].some(({ stage }) => stage === 'admitted');
  }

  /** Those that the next task brings. */
  send(scheduledId: number): UpdateRequest[] {
    const due = [...this.#all.values()].filter(
      ({ stage }) => stage === 'admitted' || stage === 'sent',
    );
    return due.map((update) => {
      update.stage = 'sent';
      return {
        id: `${update.id}/request`,
        protocolInstanceId: update.id,
        sequencingId: scheduledId,
        request: update.request,
      };
    });
  }

  /** The task that brought them was lost: the next one brings them again. */
  unsend(): void {
    for (const update of this.#all.values()) if (update.stage === 'sent') update.stage = 'admitted';
  }

  accept(id: string, eventId: number, request: Update['request']): void {
    const update: Update = this.#all.get(id) ?? { id, request, stage: 'sent', waiters: [] };
    this.#all.set(id, update);
    update.stage = 'accepted';
    update.acceptedEventId = eventId;
    wake(update);
  }

  complete(id: string, outcome: Outcome): void {
    const update = this.#known(id);
    update.stage = 'completed';
    update.outcome = outcome;
    wake(update);
  }

  /** Forgets it: the same id may come again. */
  reject(id: string, failure: temporal.api.failure.v1.IFailure): void {
    const update = this.#all.get(id);
    // After a reset, an update that history has admitted.
    if (update === undefined) return;
    update.stage = 'completed';
    update.outcome = { failure };
    this.#all.delete(id);
    wake(update);
  }

  /** The server was killed: it knows only what histories say. */
  forget(): void {
    for (const update of this.#all.values()) {
      if (update.stage !== 'admitted' && update.stage !== 'sent') continue;
      update.lost = 'forgotten';
      this.#all.delete(update.id);
      wake(update);
    }
  }

  /** The run is closed. */
  close(): void {
    for (const update of this.#all.values()) {
      if (update.stage === 'completed') continue;
      if (update.stage === 'accepted') {
        const message =
          'Workflow Update failed because the Workflow completed before the Update completed.';
        update.outcome = {
          failure: {
            message,
            applicationFailureInfo: { type: 'AcceptedUpdateCompletedWorkflow', nonRetryable: true },
          },
        };
        update.stage = 'completed';
      } else {
        update.lost = 'closed';
        this.#all.delete(update.id);
      }
      wake(update);
    }
  }

  #known(id: string): Update {
    const update = this.#all.get(id);
    if (update === undefined) throw new Error(`there is no update ${id}`);
    return update;
  }
}

function wake(update: Update): void {
  const { waiters } = update;
  update.waiters = [];
  for (const waiter of waiters) waiter();
}

export class UpdateLimit extends Error {}
