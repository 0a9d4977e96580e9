import type { Command } from 'commander';
import type { ResetPlan } from '../../client';
import { defined } from '../../base';
import { UsageError } from '../exit';
import { printableLine } from '../render/text';
import { addServerCommand } from '../session/connection';
import type { CommandContext } from '../session/parse-options';

type ResetFlags = {
  readonly to: string;
  readonly yes?: true;
  readonly reason?: string;
  readonly json?: true;
};

/** Lists at most this many calls. */
const mostLines = 50;

export function addResetCommand(program: Command, context: CommandContext): void {
  const { terminal } = context;
  const command = program
    .command('reset')
    .summary('take a run back to an earlier turn or step')
    .description(
      'Takes a run back to before a turn of an agent, or before a step, branch or task of an orchestration. First shows which tool calls may run again, and asks. Then ends all calls and child runs of the run.',
    )
    .argument('<workflowId>', 'the run; may be a child run')
    .requiredOption('--to <turn or step>', 'the number of a turn, or a step, branch or task')
    .option('--yes', 'do not ask')
    .option('--reason <text>', 'why; kept in the history');
  addServerCommand(command, context, (workflowId: string, flags: ResetFlags) => {
    const { reason, to, yes: isAgreed = false, json = false } = flags;
    if (!isAgreed && (json || !terminal.isInteractive))
      throw new UsageError('reset asks first, but there is no terminal here: pass --yes');
    const confirm = async (planned: ResetPlan): Promise<boolean> => {
      if (!json) for (const line of linesOf(planned)) terminal.print(line);
      if (isAgreed) return true;
      const answer = await terminal.ask('reset it? [y]es, [n]o > ');
      return /^y(?:es)?$/i.test(answer?.trim() ?? '');
    };
    const turnOrStep = /^\d+$/.test(to) ? Number(to) : to;
    const options = { to: turnOrStep, confirm, ...defined({ reason }) };
    return async (longhaul) => {
      const plan = await longhaul.run(workflowId).reset(options);
      const line = plan === undefined ? 'nothing was changed' : `reset ${workflowId}`;
      return { json: { workflowId, reset: plan !== undefined, ...plan }, lines: [line] };
    };
  });
}

function linesOf({ calls, runs }: ResetPlan): readonly string[] {
  const made = calls.map(({ path, tool, effect }) => {
    const warning = effect === 'once' ? ' (effect once: it has been made)' : '';
    return `  ${printableLine(`${path}: ${tool}`)}${warning}`;
  });
  const more = made.length > mostLines ? [`  and ${made.length - mostLines} more`] : [];
  return [
    calls.length === 0
      ? 'no tool call is undone'
      : `${calls.length} tool calls are undone in the log only, and may be made again, under the same idempotency keys:`,
    ...made.slice(0, mostLines),
    ...more,
    ...(runs.length === 0 ? [] : [`runs that are ended and called again: ${runs.length}`]),
  ];
}
