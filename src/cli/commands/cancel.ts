import type { Command } from 'commander';
import type { Longhaul } from '../../client';
import { exitCodes, UsageError } from '../exit';
import type { CommandContext } from '../session/parse-options';
import { addConnectionFlags, openLonghaul, type ConnectionFlags } from '../session/connection';
import { describeRun, isEnded } from '../session/read-run';
import { printableJson, printableLine } from '../render/text';

type CancelFlags = ConnectionFlags & {
  readonly orphans?: true;
  readonly reason?: string;
  readonly json?: true;
};

/** What was done: a line for each run, and the same as JSON. */
type Cancelled = { readonly lines: readonly string[]; readonly json: unknown };

export function addCancelCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('cancel')
    .summary('cancel a run')
    .description(
      'Cancels a run and everything it is doing. A run that has ended does not change. With --orphans: cancels all runs that a reset left behind.',
    )
    .argument('[workflowId]', 'the run')
    .option('--orphans', 'cancel the runs that `doctor` lists as orphans')
    .option('--reason <text>', 'why; kept with the run')
    .option('--json', 'print JSON');
  addConnectionFlags(command).action(async (workflowId: string | undefined, flags: CancelFlags) => {
    if ((workflowId === undefined) !== (flags.orphans === true)) {
      throw new UsageError('name the run to cancel, or --orphans');
    }
    const longhaul = await openLonghaul(flags);
    const { lines, json } = await (workflowId === undefined
      ? cancelOrphans(longhaul, flags.reason)
      : cancelRun(longhaul, workflowId, flags.reason));
    for (const line of flags.json === true ? [printableJson(json)] : lines) terminal.print(line);
    await longhaul.close();
    finish(exitCodes.done);
  });
}

async function cancelRun(
  longhaul: Longhaul,
  workflowId: string,
  reason: string | undefined,
): Promise<Cancelled> {
  const { state } = await describeRun(longhaul, workflowId);
  if (isEnded(state)) {
    const { status } = state;
    const json = { workflowId, cancelling: false, status };
    return { lines: [`${workflowId} has already ended: ${status}`], json };
  }
  await longhaul.run(workflowId).cancel(reason);
  return { lines: [`cancelling ${workflowId}`], json: { workflowId, cancelling: true } };
}

/** What hangs below each ends with it. */
async function cancelOrphans(
  longhaul: Longhaul,
  reason = 'left behind by a reset',
): Promise<Cancelled> {
  const orphans = await longhaul.orphans();
  for (const { workflowId } of orphans) await longhaul.run(workflowId).cancel(reason);
  const lines = orphans.map(
    ({ workflowId, path }) => `cancelling ${workflowId} (${printableLine(path)})`,
  );
  const json = { orphans: orphans.map((orphan) => ({ ...orphan, cancelling: true })) };
  return { lines: lines.length === 0 ? ['no orphans'] : lines, json };
}
