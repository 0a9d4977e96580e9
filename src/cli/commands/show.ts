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

type ShowFlags = ConnectionFlags & { readonly full?: true; readonly json?: true };

export function addShowCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('show')
    .summary('show a run as a conversation')
    .description('Shows the conversation of a run, where it stands and what it waits for.')
    .argument('<workflowId>', 'the run')
    .option('--full', 'do not cut tool calls and results to the width of the terminal')
    .option('--json', 'print JSON');
  addConnectionFlags(command).action(async (workflowId: string, flags: ShowFlags) => {
    const { style, width } = terminal;
    const options = { style, width, full: flags.full === true, command: commandLine(flags) };
    const ask = async (longhaul: Longhaul): Promise<Answer> => {
      const { end, ...run } = await readRun(longhaul, workflowId);
      const isNoted = run.fromHistory && flags.json !== true;
      return {
        json: { ...run, ...end },
        lines: renderRun({ ...run, ...(end && { end }) }, options),
        notes: isNoted
          ? ['no worker polls its task queue: shown from history, without answers']
          : [],
      };
    };
    finish(await askServer(flags, terminal, ask));
  });
}
