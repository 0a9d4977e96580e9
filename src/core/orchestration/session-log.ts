/*
 * A session and its earlier states. A task starts with the session of the moment it became ready. The log is stored as one session and
 * the later changes, because a copy for each waiting task would be too much to carry.
 */
import type { JsonObject } from '../../base';
import type { SessionDelta } from '../session';
import { MergedSession } from './merged-session';

export type StoredSessionLog = {
  readonly session: JsonObject;
  readonly deltas: readonly SessionDelta[];
};

export class SessionLog {
  readonly #base: JsonObject;
  readonly #deltas: SessionDelta[];
  readonly #merged: MergedSession;

  constructor({ session, deltas }: StoredSessionLog) {
    this.#base = session;
    this.#deltas = [...deltas];
    this.#merged = new MergedSession(session);
    for (const delta of deltas) this.#merged.merge(delta);
  }

  get session(): JsonObject {
    return this.#merged.session;
  }

  /** How many deltas `session` contains. A restored log counts from the moment it was stored. */
  get position(): number {
    return this.#deltas.length;
  }

  merge(delta: SessionDelta): void {
    this.#deltas.push(delta);
    this.#merged.merge(delta);
  }

  sessionsAt(positions: ReadonlySet<number>): ReadonlyMap<number, JsonObject> {
    const replayed = new MergedSession(this.#base);
    const sessions = new Map<number, JsonObject>();
    if (positions.has(0)) sessions.set(0, replayed.session);
    this.#deltas.forEach((delta, index) => {
      replayed.merge(delta);
      if (positions.has(index + 1)) sessions.set(index + 1, replayed.session);
    });
    return sessions;
  }

  /** The log from this position on. In the stored log, this position is 0. */
  storedFrom(position: number): StoredSessionLog {
    const session = this.sessionsAt(new Set([position])).get(position) ?? this.session;
    return { session, deltas: this.#deltas.slice(position) };
  }
}
