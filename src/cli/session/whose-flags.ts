import type { Command } from 'commander';
import type { WhoseFilter } from '../../client';

export type WhoseFlags = {
  readonly agent?: string;
  readonly user?: string;
  readonly app?: string;
};

export function addWhoseFlags(command: Command): Command {
  return command
    .option('--agent <id>', 'only of this agent')
    .option('--user <id>', 'only of this user, as `key.userId` names it')
    .option('--app <name>', 'only of this application, as `key.appName` names it');
}

/** A flag that is given with nothing in it stays a filter: a variable that is not set must not list what is everybody's. */
export function whoseOf({ agent, user, app }: WhoseFlags): WhoseFilter {
  const key = {
    ...(user !== undefined && { userId: user }),
    ...(app !== undefined && { appName: app }),
  };
  return {
    ...(agent !== undefined && { agent }),
    ...(Object.keys(key).length > 0 && { key }),
  };
}
