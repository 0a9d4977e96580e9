import { type Command, Option } from 'commander';
import type { InboxItem, Longhaul, RunStatus, RunSummary, ThreadSummary } from '../../client';
import {
  addWhoseFlags,
  type CommandContext,
  parseCount,
  type WhoseFlags,
  whoseOf,
} from '../session/parse-options';
import { addConnectionFlags, type ConnectionFlags, openLonghaul } from '../session/connection';
import { exitCodes } from '../exit';
import { printableJson } from '../render/text';
import { renderInbox, renderList, renderThreads } from '../render/render-list';
import { commandLine } from '../render/render-parts';
import type { Terminal } from '../render/terminal';

const kinds: readonly InboxItem['kind'][] = ['question', 'approval', 'budget'];

const statuses: readonly RunStatus[] = [
  'loading',
  'running',
  'needs-input',
  'completed',
  'failed',
  'cancelled',
];

type ListFlags = ConnectionFlags &
  WhoseFlags & {
    readonly status?: RunStatus;
    readonly children?: true;
    readonly limit: number;
    readonly json?: true;
  };

export function addListCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addWhoseFlags(program.command('list'))
    .summary('list runs')
    .description('Lists runs, the newest first. A new run shows up after about a second.')
    .addOption(new Option('--status <status>', 'only runs with this status').choices(statuses))
    .option('--children', 'also child runs, and the turns of conversations')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--json', 'print a JSON array');
  addConnectionFlags(command).action(async (flags: ListFlags) => {
    const { status, children = false, limit } = flags;
    const longhaul = await openLonghaul(flags);
    const runs: RunSummary[] = [];
    const filter = { ...whoseOf(flags), ...(status && { status }), children };
    for await (const run of longhaul.runs(filter)) {
      runs.push(run);
      if (runs.length >= limit) break;
    }
    const { style, width } = terminal;
    const lines =
      flags.json === true
        ? [printableJson(runs)]
        : renderList(runs, { style, width, now: new Date() });
    for (const line of lines) terminal.print(line);
    if (runs.length === 0 && flags.json !== true) terminal.note('no runs');
    await longhaul.close();
    finish(exitCodes.done);
  });
}

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
