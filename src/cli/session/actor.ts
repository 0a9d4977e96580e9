// Who acts, from `--as` or the environment.

import type { Command } from 'commander';
import type { Actor } from '../../client';
import { UsageError } from '../exit';
import { parseJsonObject } from './parse-options';

export type ActorFlags = { readonly as?: string };

/** The flag of the commands with which people act. */
export function addActorFlag(command: Command): Command {
  return command.option(
    '--as <actor>',
    'who acts: id, id:role,role, or a JSON object (LONGHAUL_ACTOR); nobody checks it',
  );
}

/** The actor of a command. The client checks it. */
export function actorOf({ as = process.env['LONGHAUL_ACTOR'] }: ActorFlags): Actor | undefined {
  if (as === undefined) return undefined;
  if (as.startsWith('{')) return parseJsonObject('--as', as) as unknown as Actor;
  const colon = as.lastIndexOf(':');
  if (colon < 0) return namedActor(as, []);
  return namedActor(as.slice(0, colon), as.slice(colon + 1).split(','));
}

/** An empty name is refused here, too: an unset shell variable must not make somebody act as nobody. */
function namedActor(id: string, roles: readonly string[]): Actor {
  if (id === '' || roles.includes(''))
    throw new UsageError(
      '--as must be an id with its roles, such as ada or ada:finance,lead; roles stand after the last colon',
    );
  return { id, ...(roles.length > 0 && { roles }) };
}
