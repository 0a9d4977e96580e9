// The session of a run. Changes by one batch of calls merge in call order, even if they arrive in another order. Pure.

import { mergeDelta, pickKeys } from '../../core/session';
import type { JsonObject } from '../../base/json';
import type { SessionDelta } from '../../protocol/session';
import { utf8Length } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';

export type CarriedSession = {
  readonly initial: JsonObject;
  readonly value: JsonObject;
  /** The version of the stored session that the run started from. */
  readonly version?: string;
  readonly deferred: readonly (readonly [index: number, delta: SessionDelta])[];
};

export class RunSession {
  #initial: JsonObject = {};
  #value: JsonObject = {};
  #version: string | undefined;
  readonly #deferred = new Map<number, SessionDelta>();

  get value(): JsonObject {
    return this.#value;
  }

  /** The session that the run started from. */
  get initial(): JsonObject {
    return this.#initial;
  }

  /** The version of the stored session that the run started from, or undefined if the store had no session. */
  get version(): string | undefined {
    return this.#version;
  }

  start(value: JsonObject, version?: string): void {
    this.#initial = value;
    this.#value = value;
    this.#version = version;
  }

  replace(value: JsonObject): void {
    checkSessionSize(value);
    this.#value = value;
  }

  restore({ initial, value, version, deferred }: CarriedSession): void {
    this.#initial = initial;
    this.#value = value;
    this.#version = version;
    deferred.forEach(([index, delta]) => this.#deferred.set(index, delta));
  }

  carry(): CarriedSession {
    const version = this.#version;
    return {
      initial: this.#initial,
      value: this.#value,
      ...(version !== undefined && { version }),
      deferred: [...this.#deferred],
    };
  }

  merge(delta: SessionDelta): void {
    this.#value = mergeDelta(this.#value, delta);
    checkSessionSize(this.#value);
  }

  /** Keeps the change of the call at `index` until its batch is complete. */
  defer(index: number, delta: SessionDelta): void {
    this.#deferred.set(index, delta);
  }

  mergeDeferred(): void {
    const inCallOrder = [...this.#deferred].sort(([left], [right]) => left - right);
    this.#deferred.clear();
    for (const [, delta] of inCallOrder) this.merge(delta);
  }
}

// The part of a session that a piece of code declared, and the limit for the whole session. Pure.

/** The declared keys with their values. Undefined if nothing is declared, so that nothing travels. */
export function selectKeys(
  session: JsonObject,
  keys: readonly string[] | undefined,
): JsonObject | undefined {
  if (keys === undefined || keys.length === 0) return undefined;
  return pickKeys(session, keys);
}

export function checkSessionSize(session: JsonObject): void {
  const bytes = utf8Length(JSON.stringify(session));
  if (bytes <= limits.session) return;
  throw new LonghaulError(
    'SessionTooLarge',
    `the session has ${bytes} bytes of JSON; at most ${limits.session} are kept: put ids into it, not documents`,
  );
}
