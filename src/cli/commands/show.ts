import type { Command } from 'commander';
import type { CommandContext } from '../session/parse-options';
import {
  addConnectionFlags,
  type Answer,
  askServer,
  type ConnectionFlags,
} from '../session/connection';
import type { Longhaul } from '../../client';
import { readRun } from '../session/read-run';
import { readThread } from '../session/read-thread';
import { commandLine } from '../render/render-parts';
import { renderRun } from '../render/render-run';
import { renderThread } from '../render/render-thread';
import { printableLine, type Style } from '../render/text';
import { renderTrace } from '../render/render-trace';

type ShowFlags = ConnectionFlags & {
  readonly full?: true;
  readonly json?: true;
  readonly trace?: true;
};

export function addShowCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('show')
    .summary('show a run or a conversation')
    .description(
      'Shows the conversation of a run, where it stands and what it waits for. Of a conversation of turns it shows the newest ten.',
    )
    .argument('<workflowId>', 'the run or conversation')
    .option('--full', 'do not cut tool calls and results to the width of the terminal')
    .option(
      '--trace',
      'show what it did instead: times, attempts, tokens and costs, with the runs below',
    )
    .option('--json', 'print JSON');
  addConnectionFlags(command).action(async (workflowId: string, flags: ShowFlags) => {
    const { style, width } = terminal;
    const options = { style, width, full: flags.full === true, command: commandLine(flags) };
    const ask = async (longhaul: Longhaul): Promise<Answer> => {
      if (flags.trace === true) return await askTrace(longhaul, workflowId, options);
      const thread = await readThread(longhaul, workflowId);
      if (thread !== undefined) {
        const notes = await notesOf(longhaul, thread, flags);
        return { json: thread, lines: renderThread(thread, options), notes };
      }
      const { end, ...run } = await readRun(longhaul, workflowId);
      const lines = renderRun({ ...run, ...(end && { end }) }, options);
      const notes = await notesOf(longhaul, run, { ...flags, hasEnded: end !== undefined });
      return { json: { ...run, ...end }, lines, notes };
    };
    finish(await askServer(flags, terminal, ask));
  });
}

async function askTrace(
  longhaul: Longhaul,
  workflowId: string,
  { style, width, full }: { style: Style; width: number; full: boolean },
): Promise<Answer> {
  const trace = await longhaul.run(workflowId).trace();
  const lines = renderTrace(trace, { style, width: full ? Number.MAX_SAFE_INTEGER : width });
  return { json: trace, lines, notes: [] };
}

async function notesOf(
  longhaul: Longhaul,
  { workflowId, fromHistory }: { workflowId: string; fromHistory: boolean },
  { json = false, hasEnded = false }: { json?: boolean; hasEnded?: boolean },
): Promise<readonly string[]> {
  if (json) return [];
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
