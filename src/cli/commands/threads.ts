import type { Command } from 'commander';
import type { ThreadSummary } from '../../client';
import type { CommandContext } from '../command-context';
import { addConnectionFlags, openLonghaul, type ConnectionFlags } from '../connection';
import { exitCodes } from '../exit-codes';
import { parseCount } from '../parse-options';
import { printableJson } from '../printable';
import { renderThreads } from '../render-threads';

type ThreadsFlags = ConnectionFlags & {
  readonly agent?: string;
  readonly user?: string;
  readonly app?: string;
  readonly limit: number;
  readonly json?: true;
};

export function addThreadsCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('threads')
    .summary('list open conversations')
    .description('Lists open conversations, the newest first. A new one shows up after a second.')
    .option('--agent <id>', 'only with this agent')
    .option('--user <id>', 'only of this user')
    .option('--app <name>', 'only of this application')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--json', 'print a JSON array');
  addConnectionFlags(command).action(async (flags: ThreadsFlags) => {
    const { agent, user, app, limit } = flags;
    const longhaul = await openLonghaul(flags);
    const threads: ThreadSummary[] = [];
    const filter = {
      ...(agent && { agent }),
      ...(user && { userId: user }),
      ...(app && { appName: app }),
    };
    for await (const thread of longhaul.threads(filter)) {
      threads.push(thread);
      if (threads.length >= limit) break;
    }
    const { style, width } = terminal;
    const lines =
      flags.json === true
        ? [printableJson(threads)]
        : renderThreads(threads, { style, width, now: new Date() });
    for (const line of lines) terminal.print(line);
    if (threads.length === 0 && flags.json !== true) terminal.note('no threads');
    await longhaul.close();
    finish(exitCodes.done);
  });
}
