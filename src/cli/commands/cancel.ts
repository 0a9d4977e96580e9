import type { Command } from 'commander';
import type { Longhaul } from '../../client';
import { hasEnded } from '../../protocol';
import { UsageError } from '../exit';
import { printableLine } from '../render/text';
import { addActorFlag } from '../session/actor';
import { addServerCommand, type Answer } from '../session/connection';
import type { CommandContext } from '../session/parse-options';
import { describeRun } from '../session/read-run';

type CancelFlags = { readonly orphans?: true; readonly reason?: string };

export function addCancelCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('cancel')
    .summary('cancel a run')
    .description(
      'Cancels a run and everything it is doing. A run that has ended does not change. With --orphans: cancels all runs that a reset left behind.',
    )
    .argument('[workflowId]', 'the run')
    .option('--orphans', 'cancel the runs that `doctor` lists as orphans')
    .option('--reason <text>', 'why; kept with the run');
  addServerCommand(
    addActorFlag(command),
    context,
    (workflowId: string | undefined, { orphans, reason }: CancelFlags) => {
      if ((workflowId === undefined) !== (orphans === true))
        throw new UsageError('name either a run to cancel or --orphans');
      return workflowId === undefined
        ? (longhaul) => cancelOrphans(longhaul, reason)
        : (longhaul) => cancelRun(longhaul, workflowId, reason);
    },
  );
}

async function cancelRun(
  longhaul: Longhaul,
  workflowId: string,
  reason: string | undefined,
): Promise<Answer> {
  const { state } = await describeRun(longhaul, workflowId);
  if (hasEnded(state.status)) {
    const { status } = state;
    const json = { workflowId, cancelling: false, status };
    return { lines: [`${workflowId} has already ended: ${status}`], json };
  }
  await longhaul.run(workflowId).cancel(reason);
  return { lines: [`cancelling ${workflowId}`], json: { workflowId, cancelling: true } };
}

/** The child runs of an orphan end with it. */
async function cancelOrphans(
  longhaul: Longhaul,
  reason = 'left behind by a reset',
): Promise<Answer> {
  const orphans = await longhaul.orphans();
  for (const { workflowId } of orphans) await longhaul.run(workflowId).cancel(reason);
  const lines = orphans.map(
    ({ workflowId, path }) => `cancelling ${workflowId} (${printableLine(path)})`,
  );
  const json = { orphans: orphans.map((orphan) => ({ ...orphan, cancelling: true })) };
  return { lines: lines.length === 0 ? ['no orphans'] : lines, json };
}
