// Checks who acts, where it arrives. Anybody may say anything. Pure.

import { isJsonObject } from '../../base/json';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type { Actor } from '../../protocol/people';

const idPattern = /^[^\p{Cc}]{1,200}$/u;

/** Returns the actor with the known members only. Throws `InvalidInput`. */
export function readActor(value: unknown): Actor {
  const { id, roles, name, ...others } = isJsonObject(value) ? value : {};
  const areRoles =
    roles === undefined ||
    (Array.isArray(roles) && roles.length <= limits.actorRoles && roles.every(isName));
  const isKnown = Object.keys(others).length === 0;
  if (!isKnown || !isName(id) || !areRoles || (name !== undefined && !isName(name)))
    throw new LonghaulError(
      'InvalidInput',
      `an actor is {id, roles?, name?}: texts of 1 to 200 characters, and at most ${limits.actorRoles} roles`,
    );
  return {
    id,
    ...(roles !== undefined && { roles: roles }),
    ...(name !== undefined && { name: name }),
  };
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && idPattern.test(value);
