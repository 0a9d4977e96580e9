// Checks an actor where it arrives. Anybody may send anything. Pure.

import { defined, isJsonObject, shapeProblem } from '../../base';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import { type Actor, actorShape } from '../../protocol/people';

/** Returns the actor. Throws `InvalidInput`. */
export function readActor(value: unknown): Actor {
  const actor = isJsonObject(value) ? defined(value) : value;
  if (shapeProblem(actorShape, actor) === undefined) return actor as Actor;
  throw new LonghaulError(
    'InvalidInput',
    `an actor is {id, roles?, name?}: texts of 1 to 200 characters, and at most ${limits.actorRoles} roles`,
  );
}
