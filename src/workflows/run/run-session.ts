// The session of a run. Changes by one batch of calls merge in call order, even if they arrive in another order. Pure.

import { mergeDelta, pickKeys } from '../../core/session';
import { defined, type JsonObject, utf8Length } from '../../base';
import {
  aList,
  anything,
  jsonObject,
  limits,
  LonghaulError,
  type SessionDelta,
  type Shape,
  stored,
} from '../../protocol';

export const carriedSessionShape = stored(
  {
    initial: jsonObject,
    value: jsonObject,
    deferred: aList<readonly [index: number, delta: SessionDelta]>(),
  },
  {
    /** The version of the stored session that the run started from. */
    version: anything<string>(),
  },
);

export type CarriedSession = Shape<typeof carriedSessionShape>;

export class RunSession {
  /** The session that the run started from. */
  readonly initial: JsonObject;
  /** The version of the stored session that the run started from, or undefined if the store had no session. */
  readonly version: string | undefined;
  #value: JsonObject;
  readonly #deferred: Map<number, SessionDelta>;

  constructor({ initial, value, version, deferred }: CarriedSession) {
    this.initial = initial;
    this.version = version;
    this.#value = value;
    this.#deferred = new Map(deferred);
  }

  get value(): JsonObject {
    return this.#value;
  }

  replace(value: JsonObject): void {
    checkSessionSize(value);
    this.#value = value;
  }

  carry(): CarriedSession {
    const { initial, version, value } = this;
    return { initial, value, ...defined({ version }), deferred: [...this.#deferred] };
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
