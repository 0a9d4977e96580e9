import { Option, type Command } from 'commander';
import type { InboxItem, Longhaul } from '../../client';
import type { CommandContext } from '../session/command-context';
import { addConnectionFlags, openLonghaul, type ConnectionFlags } from '../session/connection';
import { exitCodes } from '../exit-codes';
import { addWhoseFlags, parseCount, type WhoseFlags, whoseOf } from '../session/parse-options';
import { printableJson } from '../render/printable';
import { renderInbox } from '../render/render-list';
import { commandLine } from '../render/render-pending';
import type { Terminal } from '../render/terminal';

const kinds: readonly InboxItem['kind'][] = ['question', 'approval', 'budget'];

type InboxFlags = ConnectionFlags &
  WhoseFlags & {
    readonly kind?: InboxItem['kind'];
    readonly limit: number;
    readonly whole?: true;
    readonly json?: true;
  };

export function addInboxCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addWhoseFlags(program.command('inbox'))
    .summary('list open questions and approvals of all runs')
    .description(
      'Lists open questions and approvals of all runs, the newest run first. A new one shows up after about a second.',
    )
    .addOption(new Option('--kind <kind>', 'only inputs of this kind').choices(kinds))
    .option('--limit <n>', 'at most this many', parseCount, 100)
    .option('--whole', 'ask each run for the whole question, its options, and the call')
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
  const { kind, limit, whole = false, json = false } = flags;
  const found: InboxItem[] = [];
  const filter = { ...whoseOf(flags), ...(kind && { kind }), limit: limit + 1, whole };
  for await (const item of longhaul.inbox(filter)) found.push(item);
  const items = found.slice(0, limit);
  const { style, width } = terminal;
  const lines = json
    ? [printableJson(items)]
    : renderInbox(items, { style, width, now: new Date(), command: commandLine(flags) });
  for (const line of lines) terminal.print(line);
  if (items.length === 0 && !json) terminal.note('nothing waits for an answer');
  if (found.length > limit) terminal.note(`more wait than these ${limit}: see --limit`);
  if (!json) noteWhatIsMissing(items, whole, terminal);
}

function noteWhatIsMissing(items: readonly InboxItem[], whole: boolean, terminal: Terminal): void {
  if (items.every(({ isComplete }) => isComplete)) return;
  terminal.note(
    whole
      ? 'no worker answered for some runs: their inputs are shown as the server has them'
      : 'shown as the server has them: --whole asks the runs for whole questions, options and calls',
  );
}
