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
import { commandLine } from '../render/render-parts';
import { renderRun } from '../render/render-run';
import { printableLine } from '../render/text';
import { renderTrace } from '../render/render-trace';

type ShowFlags = ConnectionFlags & {
  readonly full?: true;
  readonly json?: true;
  readonly trace?: true;
};

export function addShowCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('show')
    .summary('show a run as a conversation')
    .description('Shows the conversation of a run, where it stands and what it waits for.')
    .argument('<workflowId>', 'the run')
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
      if (flags.trace === true) {
        const trace = await longhaul.run(workflowId).trace();
        return {
          json: trace,
          lines: renderTrace(trace, {
            style,
            width: flags.full === true ? Number.MAX_SAFE_INTEGER : width,
          }),
          notes: [],
        };
      }
      const { end, ...run } = await readRun(longhaul, workflowId);
      const isNoted = run.fromHistory && flags.json !== true;
      return {
        json: { ...run, ...end },
        lines: renderRun({ ...run, ...(end && { end }) }, options),
        notes: [
          ...(isNoted
            ? ['no worker polls its task queue: shown from history, without answers']
            : []),
          ...(end || flags.json === true ? [] : await heldUp(longhaul, workflowId)),
        ],
      };
    };
    finish(await askServer(flags, terminal, ask));
  });
}

/** What a person who reads the conversation cannot see in it. */
async function heldUp(longhaul: Longhaul, workflowId: string): Promise<readonly string[]> {
  const { retrying, waitsFor, reason } = await longhaul.run(workflowId).why();
  const isHidden =
    retrying !== undefined || waitsFor?.kind === 'slot' || waitsFor?.kind === 'deploy';
  return isHidden ? [printableLine(reason)] : [];
}
