/*
 * A session that takes changes one after the other. The result is the same as with `mergeDelta`, but a change costs only its own size.
 */
import type { Json, JsonObject } from '../../base';
import type { SessionDelta } from '../session';
import { isOwnKey } from '../session';

export class MergedSession {
  readonly #keys: Map<string, Json>;
  #snapshot: JsonObject | undefined;

  constructor(session: JsonObject) {
    this.#keys = new Map(Object.entries(session));
    this.#snapshot = session;
  }

  /** The session. It stays the same object until the next change. */
  get session(): JsonObject {
    this.#snapshot ??= Object.fromEntries(this.#keys);
    return this.#snapshot;
  }

  merge(delta: SessionDelta): void {
    const set = Object.entries(delta.set).filter(([key]) => isOwnKey(key));
    const removed = delta.removed.filter((key) => isOwnKey(key) && this.#keys.has(key));
    if (set.length === 0 && removed.length === 0) return;
    for (const key of removed) this.#keys.delete(key);
    for (const [key, value] of set) this.#keys.set(key, value);
    this.#snapshot = undefined;
  }
}
