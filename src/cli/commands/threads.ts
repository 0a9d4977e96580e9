import type { Command } from 'commander';
import type { ThreadSummary } from '../../client';
import type { CommandContext } from '../session/command-context';
import { addConnectionFlags, openLonghaul, type ConnectionFlags } from '../session/connection';
import { exitCodes } from '../exit-codes';
import { addWhoseFlags, parseCount, type WhoseFlags, whoseOf } from '../session/parse-options';
import { printableJson } from '../render/printable';
import { renderThreads } from '../render/render-list';

type ThreadsFlags = ConnectionFlags &
  WhoseFlags & {
    readonly limit: number;
    readonly json?: true;
  };

export function addThreadsCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addWhoseFlags(program.command('threads'))
    .summary('list open conversations')
    .description('Lists open conversations, the newest first. A new one shows up after a second.')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--json', 'print a JSON array');
  addConnectionFlags(command).action(async (flags: ThreadsFlags) => {
    const { limit } = flags;
    const longhaul = await openLonghaul(flags);
    const threads: ThreadSummary[] = [];
    const { key, ...filter } = whoseOf(flags);
    for await (const thread of longhaul.threads({ ...filter, ...key })) {
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
