/*
 * The children of a plan, from "may start" to "has ended". The plan chooses the children and their order.
 *
 * 1. A key is ready, then open, then gone. Anything else is a bug of Longhaul.
 * 2. A list from `ready` never changes later.
 * 3. Taking a child from the front, the usual case, needs no search.
 */
import { LonghaulError } from '../../protocol/errors';
import type { PlannedChild } from './plan';

export class PlannedChildren {
  readonly #open = new Map<string, PlannedChild>();
  #ready: readonly PlannedChild[] = [];
  /** How many children at the front of `#ready` were taken since somebody last read `ready`. */
  #taken = 0;

  get ready(): readonly PlannedChild[] {
    if (this.#taken > 0) this.#setReady(this.#ready.slice(this.#taken));
    return this.#ready;
  }

  get readyCount(): number {
    return this.#ready.length - this.#taken;
  }

  get openCount(): number {
    return this.#open.size;
  }

  offer(children: readonly PlannedChild[]): void {
    if (children.length > 0) this.#setReady([...this.ready, ...children]);
  }

  take(key: string): void {
    const first = this.#ready[this.#taken];
    if (first?.key === key) {
      this.#open.set(key, first);
      this.#taken += 1;
      return;
    }
    const child = this.ready.find((other) => other.key === key);
    if (child === undefined)
      throw new LonghaulError('InternalError', `child '${key}' is not ready to start`);
    this.#setReady(this.ready.filter((other) => other !== child));
    this.#open.set(key, child);
  }

  /** Call it when the child has ended. */
  close(key: string): PlannedChild {
    const child = this.#open.get(key);
    if (child === undefined)
      throw new LonghaulError('InternalError', `child '${key}' is not running`);
    this.#open.delete(key);
    return child;
  }

  /** Children that were not taken will not start. */
  withdraw(): void {
    this.#setReady([]);
  }

  /** Checks that no child is open: a stored plan would lose it. */
  refuseOpen(): void {
    const [key] = this.#open.keys();
    if (key !== undefined)
      throw new LonghaulError('InternalError', `child '${key}' is still running`);
  }

  #setReady(ready: readonly PlannedChild[]): void {
    this.#ready = ready;
    this.#taken = 0;
  }
}
