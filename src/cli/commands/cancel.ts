import type { Command } from 'commander';
import type { CommandContext } from '../command-context';
import { addConnectionFlags, openLonghaul, type ConnectionFlags } from '../connection';
import { exitCodes } from '../exit-codes';
import { printableJson } from '../printable';
import { isEnded } from '../read-run';
import { describeRun } from '../describe-run';

type CancelFlags = ConnectionFlags & { readonly reason?: string; readonly json?: true };

export function addCancelCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('cancel')
    .summary('cancel a run')
    .description('Cancels a run and what it is doing. Of a run that has ended, nothing changes.')
    .argument('<runId>', 'the run')
    .option('--reason <text>', 'why; kept with the run')
    .option('--json', 'print JSON');
  addConnectionFlags(command).action(async (runId: string, flags: CancelFlags) => {
    const longhaul = await openLonghaul(flags);
    const { state } = await describeRun(longhaul, runId);
    const isOpen = !isEnded(state);
    if (isOpen) await longhaul.run(runId).cancel(flags.reason);
    const said = isOpen ? `cancelling ${runId}` : `${runId} has already ended: ${state.status}`;
    const result = { runId, cancelling: isOpen, ...(!isOpen && { status: state.status }) };
    terminal.print(flags.json === true ? printableJson(result) : said);
    await longhaul.close();
    finish(exitCodes.done);
  });
}
