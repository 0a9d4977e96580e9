// Bounds what goes to the server with one workflow task: it travels in one message, and one that is too large terminates the run,
// uncatchably.
//
// 1. The first of a task always goes, so that whoever waits, or asks again, is served in the end.

import { sleep, workflowInfo } from '@temporalio/workflow';
import { utf8Length } from '../../base/text';

/** Tells workflow tasks apart, and makes the next one. */
export type Tasks = { readonly current: () => number; readonly next: () => Promise<void> };

const workflowTasks: Tasks = {
  current: () => workflowInfo().historyLength,
  next: () => sleep(1),
};

export class TaskRoom {
  readonly #most: number;
  readonly #tasks: Tasks;
  #task = -1;
  #bytes = 0;
  #isFull = false;
  #nextTask: Promise<void> | undefined;

  /** So many bytes a workflow task. */
  constructor(most: number, tasks: Tasks = workflowTasks) {
    this.#most = most;
    this.#tasks = tasks;
  }

  /** Whether `value` goes with this workflow task. After the first that does not, nothing more goes with it. */
  takes(value: unknown): boolean {
    this.#enterTask(this.#tasks.current());
    if (this.#isFull) return false;
    const bytes = utf8Length(JSON.stringify(value));
    if (this.#bytes > 0 && this.#bytes + bytes > this.#most) {
      this.#isFull = true;
      return false;
    }
    this.#bytes += bytes;
    return true;
  }

  /** Resolves in a workflow task that `value` goes with; rejects when the run is cancelled first. A timer makes the next task. */
  async enter(value: unknown): Promise<void> {
    while (!this.takes(value)) {
      this.#nextTask ??= this.#tasks.next().finally(() => (this.#nextTask = undefined));
      await this.#nextTask;
    }
  }

  #enterTask(task: number): void {
    if (task === this.#task) return;
    this.#task = task;
    this.#bytes = 0;
    this.#isFull = false;
  }
}
