// Limits the bytes that one workflow task sends to the server. All of them travel in one message. If that message is too large, the server
// terminates the run, and no code can catch it.
//
// 1. The first item of a task always goes, so that everyone who waits or asks again gets an answer in the end.

import { sleep, workflowInfo } from '@temporalio/workflow';
import { utf8Length } from '../../base';

/** Distinguishes workflow tasks, and makes the next one. */
export type Tasks = { readonly current: () => number; readonly next: () => Promise<void> };

const workflowTasks: Tasks = {
  current: () => workflowInfo().historyLength,
  next: () => sleep(1),
};

export class TaskPayloadBudget {
  readonly #most: number;
  readonly #tasks: Tasks;
  #task = -1;
  #bytes = 0;
  #isFull = false;
  #nextTask: Promise<void> | undefined;

  /** `most`: how many bytes a workflow task may send. */
  constructor(most: number, tasks: Tasks = workflowTasks) {
    this.#most = most;
    this.#tasks = tasks;
  }

  /** True if `value` goes with this workflow task. After the first value that does not fit, nothing more goes. */
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

  /** Resolves in a workflow task that has room for `value`. Rejects if the run is cancelled first. A timer makes the next task. */
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
