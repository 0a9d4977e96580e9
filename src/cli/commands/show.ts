import type { Command } from 'commander';
import type { CommandContext } from '../session/parse-options';
import { addConnectionFlags, openLonghaul, type ConnectionFlags } from '../session/connection';
import { exitCodes } from '../exit';
import { printableJson } from '../render/text';
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
    const longhaul = await openLonghaul(flags);
    const { end, ...run } = await readRun(longhaul, workflowId);
    if (flags.json === true) {
      terminal.print(printableJson({ ...run, ...end }));
    } else {
      const { style, width } = terminal;
      const options = { style, width, full: flags.full === true, command: commandLine(flags) };
      for (const line of renderRun({ ...run, ...(end && { end }) }, options)) terminal.print(line);
      if (run.fromHistory) {
        terminal.note('no worker polls its task queue: shown from history, without answers');
      }
    }
    await longhaul.close();
    finish(exitCodes.done);
  });
}
