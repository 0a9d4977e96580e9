import { type Command, Option } from 'commander';
import { defined } from '../../base';
import type { InboxItem, Longhaul, RunStatus, WhoseFilter } from '../../client/index';
import { UsageError } from '../exit';
import {
  renderInbox,
  renderList,
  type RenderListOptions,
  renderThreads,
} from '../render/render-list';
import { commandLine } from '../render/render-parts';
import type { Terminal } from '../render/terminal';
import { addServerCommand, type Answer, type ServerFlags } from '../session/connection';
import { addChoices, checkNeeds, type CommandContext } from '../session/parse-options';

const kinds: readonly InboxItem['kind'][] = ['question', 'approval', 'tool', 'budget'];

const statuses: readonly RunStatus[] = [
  'loading',
  'running',
  'needs-input',
  'completed',
  'failed',
  'cancelled',
];

const usualLimit = 20;

const usualInboxLimit = 100;

type ListFlags = ServerFlags & {
  readonly agent?: string;
  readonly user?: string;
  readonly app?: string;
  readonly tenant?: string;
  readonly status?: RunStatus;
  readonly children?: true;
  readonly inbox?: true;
  readonly kind?: InboxItem['kind'];
  readonly whole?: true;
  readonly threads?: true;
  readonly limit?: number;
  readonly json?: true;
};

type Screen = Pick<Terminal, 'style' | 'columns'>;

export function addListCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('list')
    .summary('list runs, open questions or conversations')
    .description(
      'Lists runs, the newest first; with --inbox open questions and approvals, the oldest first; with --threads open conversations, ' +
        'the newest first. A new one shows up after about a second.',
    );
  addChoices(command, {
    '--inbox': 'list open questions and approvals of all runs',
    '--threads': 'list open conversations',
  })
    .option('--agent <id>', 'only of this agent')
    .option('--user <id>', 'only of this user, as `key.userId` names it')
    .option('--app <name>', 'only of this application, as `key.appName` names it')
    .option('--tenant <name>', 'only of this tenant, as `key.tenant` names it')
    .addOption(
      new Option('--status <status>', 'only runs with this status')
        .choices(statuses)
        .conflicts(['inbox', 'threads']),
    )
    .addOption(
      new Option('--children', 'also child runs, and the turns of conversations').conflicts([
        'inbox',
        'threads',
      ]),
    )
    .addOption(new Option('--kind <kind>', 'with --inbox: only of this kind').choices(kinds))
    .option(
      '--whole',
      'with --inbox: ask each run for the whole question, its options, and the call',
    )
    .option('--limit <n>', 'at most this many (default: 20, with --inbox 100)', parseCount);
  addServerCommand(command, context, (flags: ListFlags) => {
    if (flags.inbox !== true) checkNeeds(flags, ['kind', 'whole'], '--inbox');
    const list = flags.inbox === true ? listInbox : flags.threads === true ? listThreads : listRuns;
    return (longhaul) => list(longhaul, flags, context.terminal);
  });
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count >= 1) return count;
  throw new UsageError(`'${text}' is not a number of lines: give a whole number from 1 on`);
}

/** Keeps an empty flag as a filter, which the client refuses: an unset shell variable must not list everybody's runs. */
function whoseOf({ agent, user, app, tenant }: ListFlags): WhoseFilter {
  const key = defined({ userId: user, appName: app, tenant });
  return defined({ agent, key: Object.keys(key).length > 0 ? key : undefined });
}

async function listRuns(longhaul: Longhaul, flags: ListFlags, screen: Screen): Promise<Answer> {
  const { status, children = false, limit = usualLimit } = flags;
  const filter = { ...whoseOf(flags), ...defined({ status }), children };
  const runs = await take(longhaul.runs(filter), limit);
  return {
    json: runs,
    lines: renderList(runs, shownOn(screen)),
    notes: noteNothing(runs, flags, 'no runs'),
  };
}

async function listThreads(longhaul: Longhaul, flags: ListFlags, screen: Screen): Promise<Answer> {
  const { key, ...filter } = whoseOf(flags);
  const threads = await take(longhaul.threads({ ...filter, ...key }), flags.limit ?? usualLimit);
  const [first] = threads;
  // The list has sessions and users: `show` takes the id.
  const howToShow =
    first === undefined || flags.json === true
      ? []
      : [`see one with: ${commandLine(flags)(['show', first.threadId])}`];
  return {
    json: threads,
    lines: renderThreads(threads, shownOn(screen)),
    notes: [...noteNothing(threads, flags, 'no threads'), ...howToShow],
  };
}

/** Reads one item more than it shows, to find out whether there are more. */
export async function listInbox(
  longhaul: Pick<Longhaul, 'inbox'>,
  flags: ListFlags,
  screen: Screen,
): Promise<Answer> {
  const { kind, limit = usualInboxLimit, whole = false, json = false } = flags;
  const filter = { ...whoseOf(flags), ...defined({ kind }), limit: limit + 1, whole };
  const found = await take(longhaul.inbox(filter), limit + 1);
  const items = found.slice(0, limit);
  const noteOfMemos = whole
    ? 'no worker answered for some runs: their inputs are shown as the server has them'
    : 'shown as the server has them: --whole asks the runs for whole questions, options and calls';
  return {
    json: items,
    lines: renderInbox(items, { ...shownOn(screen), command: commandLine(flags) }),
    notes: [
      ...noteNothing(items, flags, 'nothing waits for an answer'),
      ...(found.length > limit ? [`more wait than these ${limit}: see --limit`] : []),
      ...(json || items.every(({ isComplete }) => isComplete) ? [] : [noteOfMemos]),
    ],
  };
}

function shownOn({ style, columns }: Screen): RenderListOptions {
  return { style, columns, now: new Date() };
}

function noteNothing(
  items: readonly unknown[],
  { json }: ListFlags,
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
