import { type Command, Option } from 'commander';
import type { InboxItem, Longhaul, RunStatus, ThreadSummary } from '../../client';
import {
  addWhoseFlags,
  type CommandContext,
  parseCount,
  type WhoseFlags,
  whoseOf,
} from '../session/parse-options';
import {
  addConnectionFlags,
  type Answer,
  askServer,
  type ConnectionFlags,
} from '../session/connection';
import {
  renderInbox,
  renderList,
  type RenderListOptions,
  renderThreads,
} from '../render/render-list';
import { commandLine } from '../render/render-parts';
import type { Terminal } from '../render/terminal';

const kinds: readonly InboxItem['kind'][] = ['question', 'approval', 'tool', 'budget'];

const statuses: readonly RunStatus[] = [
  'loading',
  'running',
  'needs-input',
  'completed',
  'failed',
  'cancelled',
];

type ListFlags = ConnectionFlags & WhoseFlags & { readonly limit: number; readonly json?: true };

type RunListFlags = ListFlags & { readonly status?: RunStatus; readonly children?: true };

type InboxFlags = ListFlags & {
  readonly kind?: InboxItem['kind'];
  readonly whole?: true;
};

type Screen = Pick<Terminal, 'style' | 'columns'>;

export function addListCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addWhoseFlags(program.command('list'))
    .summary('list runs')
    .description('Lists runs, the newest first. A new run shows up after about a second.')
    .addOption(new Option('--status <status>', 'only runs with this status').choices(statuses))
    .option('--children', 'also child runs, and the turns of conversations')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--json', 'print a JSON array');
  addConnectionFlags(command).action(async (flags: RunListFlags) => {
    const { status, children = false, limit } = flags;
    const ask = async (longhaul: Longhaul): Promise<Answer> => {
      const filter = { ...whoseOf(flags), ...(status && { status }), children };
      const runs = await take(longhaul.runs(filter), limit);
      const lines = renderList(runs, shownOn(terminal));
      return { json: runs, lines, notes: noteNothing(runs, flags, 'no runs') };
    };
    finish(await askServer(flags, terminal, ask));
  });
}

export function addThreadsCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addWhoseFlags(program.command('threads'))
    .summary('list open conversations')
    .description('Lists open conversations, the newest first. A new one shows up after a second.')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--json', 'print a JSON array');
  addConnectionFlags(command).action(async (flags: ListFlags) => {
    const { key, ...filter } = whoseOf(flags);
    const ask = async (longhaul: Longhaul): Promise<Answer> => {
      const threads = await take(longhaul.threads({ ...filter, ...key }), flags.limit);
      const lines = renderThreads(threads, shownOn(terminal));
      const notes = [...noteNothing(threads, flags, 'no threads'), ...howToShow(threads, flags)];
      return { json: threads, lines, notes };
    };
    finish(await askServer(flags, terminal, ask));
  });
}

export function addInboxCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addWhoseFlags(program.command('inbox'))
    .summary('list open questions and approvals of all runs')
    .description(
      'Lists open questions and approvals of all runs, the oldest first. A new one shows up after about a second.',
    )
    .addOption(new Option('--kind <kind>', 'only inputs of this kind').choices(kinds))
    .option('--limit <n>', 'at most this many', parseCount, 100)
    .option('--whole', 'ask each run for the whole question, its options, and the call')
    .option('--json', 'print a JSON array');
  addConnectionFlags(command).action(async (flags: InboxFlags) => {
    finish(await askServer(flags, terminal, (longhaul) => readInbox(longhaul, flags, terminal)));
  });
}

/** Reads one item more than it shows, to find out whether there are more. */
export async function readInbox(
  longhaul: Pick<Longhaul, 'inbox'>,
  flags: InboxFlags,
  screen: Screen,
): Promise<Answer> {
  const { kind, limit, whole = false, json = false } = flags;
  const filter = { ...whoseOf(flags), ...(kind && { kind }), limit: limit + 1, whole };
  const found = await take(longhaul.inbox(filter), limit + 1);
  const items = found.slice(0, limit);
  const command = commandLine(flags);
  return {
    json: items,
    lines: renderInbox(items, { ...shownOn(screen), command }),
    notes: [
      ...noteNothing(items, flags, 'nothing waits for an answer'),
      ...(found.length > limit ? [`more wait than these ${limit}: see --limit`] : []),
      ...(json || items.every(({ isComplete }) => isComplete) ? [] : [noteOfMemos(whole)]),
    ],
  };
}

function shownOn({ style, columns }: Screen): RenderListOptions {
  return { style, columns, now: new Date() };
}

function noteOfMemos(whole: boolean): string {
  return whole
    ? 'no worker answered for some runs: their inputs are shown as the server has them'
    : 'shown as the server has them: --whole asks the runs for whole questions, options and calls';
}

/** The list has sessions and users: `show` takes the id. */
function howToShow(threads: readonly ThreadSummary[], flags: ListFlags): readonly string[] {
  const [first] = threads;
  if (first === undefined || flags.json === true) return [];
  return [`see one with: ${commandLine(flags)(['show', first.threadId])}`];
}

function noteNothing(
  items: readonly unknown[],
  { json }: Pick<ListFlags, 'json'>,
  note: string,
): readonly string[] {
  return items.length === 0 && json !== true ? [note] : [];
}

async function take<Item>(items: AsyncIterable<Item>, limit: number): Promise<readonly Item[]> {
  const taken: Item[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= limit) break;
  }
  return taken;
}
