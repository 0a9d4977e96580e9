import { Option, type Command } from 'commander';
import type { InboxItem, Longhaul } from '../../client';
import type { CommandContext } from '../command-context';
import { addConnectionFlags, openLonghaul, type ConnectionFlags } from '../connection';
import { exitCodes } from '../exit-codes';
import { parseCount } from '../parse-options';
import { printableJson } from '../printable';
import { renderInbox } from '../render-inbox';
import { commandLine } from '../render-pending';
import type { Terminal } from '../terminal';

const kinds: readonly InboxItem['kind'][] = ['question', 'approval', 'budget'];

type InboxFlags = ConnectionFlags & {
  readonly agent?: string;
  readonly kind?: InboxItem['kind'];
  readonly limit: number;
  readonly json?: true;
};

export function addInboxCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('inbox')
    .summary('list what all runs wait for')
    .description(
      'Lists open questions and approvals of all runs, of the newest run first. A new one shows up after about a second.',
    )
    .option('--agent <id>', 'only runs of this agent')
    .addOption(new Option('--kind <kind>', 'only inputs of this kind').choices(kinds))
    .option('--limit <n>', 'at most this many', parseCount, 100)
    .option('--json', 'print a JSON array');
  addConnectionFlags(command).action(async (flags: InboxFlags) => {
    const longhaul = await openLonghaul(flags);
    await showInbox(longhaul, flags, terminal);
    await longhaul.close();
    finish(exitCodes.done);
  });
}

/** Reads one item more than it shows, to say whether there are more. */
export async function showInbox(
  longhaul: Pick<Longhaul, 'inbox'>,
  flags: InboxFlags,
  terminal: Terminal,
): Promise<void> {
  const { agent, kind, limit, json = false } = flags;
  const found: InboxItem[] = [];
  const filter = { ...(agent && { agent }), ...(kind && { kind }), limit: limit + 1 };
  for await (const item of longhaul.inbox(filter)) found.push(item);
  const items = found.slice(0, limit);
  const { style, width } = terminal;
  const lines = json
    ? [printableJson(items)]
    : renderInbox(items, { style, width, now: new Date(), command: commandLine(flags) });
  for (const line of lines) terminal.print(line);
  if (items.length === 0 && !json) terminal.note('nothing waits for an answer');
  if (found.length > limit) terminal.note(`more wait than these ${limit}: see --limit`);
  if (!json && items.some(({ isComplete }) => !isComplete)) {
    terminal.note(
      'no worker answered for some runs: their inputs are shown as the server has them',
    );
  }
}
