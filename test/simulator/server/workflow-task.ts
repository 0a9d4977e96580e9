// The workflow task of a run: scheduled, begun by a worker, completed, failed or out of time.
//
// 1. There is at most one. What happens while a worker has it waits until it is over.
// 2. From the second attempt on a task is in history only once it is completed.
// 3. A task for updates alone is in history only if one of them is accepted.

import type { SimEvent } from '../core/events';
import type { History } from './history';

export type TaskKind = 'normal' | 'again' | 'speculative';

export class PendingTask {
  kind: TaskKind;
  attempt: number;
  readonly scheduledAt: number;
  scheduledId: number;
  startedId = 0;
  startedAt = 0;
  /** The worker that has it. */
  worker: string | undefined;
  readonly token: string;
  readonly #history: History;
  readonly #taskQueue: string;
  /** How long the history was when it was scheduled. */
  #length: number;
  /** What the worker is told when it begins. History keeps the same, whenever the event is written. */
  #told: Pick<
    SimEvent<'workflowTaskStarted'>['attributes'],
    'historySizeBytes' | 'suggestContinueAsNew'
  > = {};

  constructor(
    history: History,
    options: {
      readonly kind: TaskKind;
      readonly attempt: number;
      readonly now: number;
      readonly token: string;
      readonly taskQueue: string;
    },
  ) {
    const { kind, attempt, now, token, taskQueue } = options;
    this.#history = history;
    this.#taskQueue = taskQueue;
    this.kind = kind;
    this.attempt = attempt;
    this.scheduledAt = now;
    this.token = token;
    this.scheduledId = history.nextId;
    if (kind === 'normal') this.#appendScheduled();
    this.#length = history.events.length;
  }

  get isStarted(): boolean {
    return this.worker !== undefined;
  }

  /** Something came that a task must take: now it is in history for certain, as a first attempt. */
  makeNormal(): void {
    if (this.kind === 'normal' || this.isStarted) return;
    this.kind = 'normal';
    this.attempt = 1;
    this.scheduledId = this.#history.nextId;
    this.#appendScheduled();
    this.#length = this.#history.events.length;
  }

  /** A worker takes it. Returns the events of the task that are not in history. */
  start(worker: string, now: number, suggestContinueAsNew: boolean): SimEvent[] {
    if (this.kind !== 'normal' && this.#history.events.length > this.#length) this.makeNormal();
    this.worker = worker;
    this.startedAt = now;
    this.#told = { historySizeBytes: this.#history.bytes as never, suggestContinueAsNew };
    if (this.kind === 'normal') {
      this.startedId = this.#appendStarted().id;
      return [];
    }
    const id = this.#history.nextId;
    [this.scheduledId, this.startedId] = [id, id + 1];
    const scheduled = { id, at: this.scheduledAt, name: 'workflowTaskScheduled' } as const;
    const started = { id: id + 1, at: now, name: 'workflowTaskStarted' } as const;
    return [
      { ...scheduled, attributes: this.#scheduled() },
      { ...started, attributes: this.#started() },
    ];
  }

  /** Puts the task into history, if it is not there. Nothing else has entered since it began. */
  write(): void {
    if (this.kind === 'normal') return;
    this.#appendScheduled();
    this.#appendStarted();
  }

  #appendScheduled(): void {
    this.#history.append('workflowTaskScheduled', this.#scheduled(), this.scheduledAt);
  }

  #appendStarted(): SimEvent {
    return this.#history.append('workflowTaskStarted', this.#started(), this.startedAt);
  }

  #scheduled(): SimEvent<'workflowTaskScheduled'>['attributes'] {
    return {
      taskQueue: { name: this.#taskQueue },
      startToCloseTimeout: { seconds: 10 as never },
      attempt: this.attempt,
    };
  }

  #started(): SimEvent<'workflowTaskStarted'>['attributes'] {
    return {
      scheduledEventId: this.scheduledId as never,
      identity: this.worker ?? '',
      requestId: this.token,
      ...this.#told,
    };
  }
}
