// Checks what `authenticate` returns, and makes keys of it. A wrong principal would see the runs of others, or no runs.

import { checkKnown } from '../core/run-input';
import { readActor } from '../core/people/actor';
import { defined, isJsonObject } from '../base';
import { type Actor, LonghaulError, type RunKey } from '../protocol';
import type { Principal } from './route';

const members: Readonly<Record<keyof Principal, true>> = {
  user: true,
  name: true,
  roles: true,
  tenant: true,
  sees: true,
};

const widths: readonly unknown[] = [undefined, 'own', 'tenant', 'all'];

/** Throws `InvalidInput`: the backend is wrong, not the request. */
export function readPrincipal(value: unknown): Principal {
  if (!isJsonObject(value)) throw invalid('must return a principal: {user, …}');
  checkKnown(value, 'a principal', Object.keys(members));
  const { user, name, roles, tenant, sees } = value;
  readActor({
    id: user,
    ...defined({ name, roles }),
  });
  if (tenant !== undefined) readActor({ id: tenant });
  if (!widths.includes(sees)) throw invalid("must return sees: 'own', 'tenant' or 'all'");
  if (sees === 'tenant' && tenant === undefined)
    throw invalid("must return a tenant with sees: 'tenant'");
  return value as object as Principal;
}

export function actorOf({ user, name, roles }: Principal): Actor {
  return {
    id: user,
    ...defined({ roles, name }),
  };
}

/** The key of what the principal starts. */
export function ownKey(appName: string, { user, tenant }: Principal): RunKey {
  return { appName, userId: user, ...defined({ tenant }) };
}

/** The key that all runs have that the principal may see. */
export function visibleKey(appName: string, principal: Principal): RunKey {
  const { sees = 'own', tenant } = principal;
  if (sees === 'own') return ownKey(appName, principal);
  return { appName, ...(sees === 'tenant' && tenant !== undefined && { tenant }) };
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidInput', `authenticate ${message}`);
}
