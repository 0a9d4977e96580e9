// The part of a session that a piece of code declared, and the bound on the whole. Pure.

import { pickKeys } from '../../core/session';
import { utf8Length } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';

/** The declared keys with their values; undefined when nothing is declared, so that nothing travels. */
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
