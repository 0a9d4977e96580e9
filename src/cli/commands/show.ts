import type { Command } from 'commander';
import { defined } from '../../base';
import type { Longhaul } from '../../client';
import { commandLine } from '../render/render-parts';
import { renderRun, type RenderRunOptions, renderTree } from '../render/render-run';
import { renderThread } from '../render/render-thread';
import { renderTrace } from '../render/render-trace';
import { printableJson, printableLine } from '../render/text';
import { addServerCommand, type Answer, type ServerFlags } from '../session/connection';
import { addChoices, type CommandContext } from '../session/parse-options';
import { readRun } from '../session/read-run';
import { readThread } from '../session/read-thread';

const views = { why: showWhy, audit: showAudit, trace: showTrace, tree: showTree };

type ShowFlags = ServerFlags & {
  readonly [Name in keyof typeof views]?: true;
} & { readonly full?: true; readonly json?: true };

type ShowOptions = RenderRunOptions & { readonly json: boolean; readonly full: boolean };

type View = (longhaul: Longhaul, workflowId: string, options: ShowOptions) => Promise<Answer>;

export function addShowCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('show')
    .summary('show a run or a conversation, or why it does not move')
    .description(
      'Shows the conversation of a run, where it stands and what it waits for. Of a conversation of turns it shows the newest ten.',
    )
    .argument('<workflowId>', 'the run or conversation');
  addChoices(command, {
    '--why': 'say instead in two sentences what it waits for or retries, and what to do about it',
    '--audit': 'list instead who started it, decided and cancelled, as one JSON object per line',
    '--trace': 'show instead what it did: times, attempts, tokens and costs, with the runs below',
    '--tree': 'show instead only the run and the runs below it',
  }).option('--full', 'do not cut tool calls and results to the width of the terminal');
  addServerCommand(command, context, (workflowId: string, flags: ShowFlags) => {
    const { style, width } = context.terminal;
    const { full = false, json = false } = flags;
    const options = { style, width, full, json, command: commandLine(flags) };
    const asked = (['why', 'audit', 'trace', 'tree'] as const).find((name) => flags[name] === true);
    const view: View = asked === undefined ? showConversation : views[asked];
    return (longhaul) => view(longhaul, workflowId, options);
  });
}

async function showConversation(
  longhaul: Longhaul,
  workflowId: string,
  options: ShowOptions,
): Promise<Answer> {
  const thread = await readThread(longhaul, workflowId);
  if (thread !== undefined) {
    const notes = await notesOf(longhaul, thread, options);
    return { json: thread, lines: renderThread(thread, options), notes };
  }
  const { end, ...run } = await readRun(longhaul, workflowId);
  return {
    json: { ...run, ...end },
    lines: renderRun({ ...run, ...defined({ end }) }, options),
    notes: await notesOf(longhaul, { ...run, hasEnded: end !== undefined }, options),
  };
}

async function notesOf(
  longhaul: Longhaul,
  shown: {
    readonly workflowId: string;
    readonly fromHistory: boolean;
    readonly hasEnded?: boolean;
  },
  { json }: ShowOptions,
): Promise<readonly string[]> {
  if (json) return [];
  const { workflowId, fromHistory, hasEnded = false } = shown;
  return [
    ...(fromHistory ? ['no worker polls its task queue: shown from history, without answers'] : []),
    ...(hasEnded ? [] : await heldUp(longhaul, workflowId)),
  ];
}

/** What a person who reads the conversation cannot see in it. */
async function heldUp(longhaul: Longhaul, workflowId: string): Promise<readonly string[]> {
  const { retrying, waitsFor, lastPoll, reason } = await longhaul.run(workflowId).why();
  const isHidden =
    (retrying ?? lastPoll) !== undefined ||
    waitsFor?.kind === 'slot' ||
    waitsFor?.kind === 'deploy';
  return isHidden ? [printableLine(reason)] : [];
}

/** Needs no worker. */
async function showWhy(longhaul: Longhaul, workflowId: string): Promise<Answer> {
  const why = await longhaul.run(workflowId).why();
  const { reason, todo } = why;
  return { json: why, lines: [reason, ...(todo === undefined ? [] : [todo])].map(printableLine) };
}

/** What it could not read is a line of kind `gap`. */
async function showAudit(longhaul: Longhaul, workflowId: string): Promise<Answer> {
  const entries = await longhaul.run(workflowId).audit();
  const gaps = entries.filter(({ kind }) => kind === 'gap').length;
  const notes = gaps === 0 ? [] : [`not complete: see the ${gaps} lines of kind gap`];
  return { json: entries, lines: entries.map(printableJson), notes };
}

async function showTrace(
  longhaul: Longhaul,
  workflowId: string,
  { style, width, full }: ShowOptions,
): Promise<Answer> {
  const trace = await longhaul.run(workflowId).trace();
  const shown = { style, width: full ? Number.MAX_SAFE_INTEGER : width };
  return { json: trace, lines: renderTrace(trace, shown) };
}

async function showTree(
  longhaul: Longhaul,
  workflowId: string,
  options: ShowOptions,
): Promise<Answer> {
  const tree = await longhaul.run(workflowId).tree();
  return { json: tree, lines: renderTree(tree, options) };
}
