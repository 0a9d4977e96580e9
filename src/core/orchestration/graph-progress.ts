/*
 * How far a graph has come: which tasks wait, which have ended, which never start.
 *
 * 1. A task starts to be wanted when the last task it needs is done.
 * 2. What needs a failed task, directly or not, is skipped. Every task is visited once, every edge at most twice.
 */
import type { GraphTasks } from './graph-tasks';

type Progress = 'waiting' | 'startable' | 'done' | 'failed' | 'skipped';

export class GraphProgress {
  readonly #tasks: GraphTasks;
  readonly #progress = new Map<string, Progress>();
  /** Tasks still needed, by the task that needs them. */
  readonly #missing = new Map<string, number>();
  #waiting = 0;

  constructor(tasks: GraphTasks) {
    this.#tasks = tasks;
    for (const { id, needs } of tasks.values()) {
      this.#missing.set(id, needs.length);
      this.#progress.set(id, needs.length === 0 ? 'startable' : 'waiting');
      if (needs.length > 0) this.#waiting += 1;
    }
  }

  /** Tasks that wait for others and may still start. */
  get waiting(): number {
    return this.#waiting;
  }

  /** The tasks that may start now, in declaration order. */
  complete(id: string): readonly string[] {
    this.#set(id, 'done');
    const needing = this.#tasks.get(id)?.neededBy ?? [];
    return needing.filter((other) => {
      const missing = (this.#missing.get(other) ?? 0) - 1;
      this.#missing.set(other, missing);
      if (missing > 0 || this.#progress.get(other) !== 'waiting') return false;
      this.#set(other, 'startable');
      return true;
    });
  }

  fail(id: string): void {
    this.#set(id, 'failed');
    const affected = [id];
    for (let next = affected.pop(); next !== undefined; next = affected.pop()) {
      for (const other of this.#tasks.get(next)?.neededBy ?? []) {
        if (this.#progress.get(other) !== 'waiting') continue;
        this.#set(other, 'skipped');
        affected.push(other);
      }
    }
  }

  /** In declaration order. */
  tasksThat(...progress: readonly Progress[]): readonly string[] {
    return [...this.#progress].flatMap(([id, now]) => (progress.includes(now) ? [id] : []));
  }

  #set(id: string, progress: Progress): void {
    if (this.#progress.get(id) === 'waiting') this.#waiting -= 1;
    this.#progress.set(id, progress);
  }
}
