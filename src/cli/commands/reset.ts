import type { Command } from 'commander';
import type { Longhaul, ResetPlan } from '../../client';
import { UsageError } from '../exit';
import type { CommandContext } from '../session/parse-options';
import {
  addConnectionFlags,
  type Answer,
  askServer,
  type ConnectionFlags,
} from '../session/connection';
import { printableLine } from '../render/text';
import type { Terminal } from '../render/terminal';

type ResetFlags = ConnectionFlags & {
  readonly to: string;
  readonly yes?: true;
  readonly reason?: string;
  readonly json?: true;
};

/** Lists at most this many calls. */
const mostLines = 50;

export function addResetCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('reset')
    .summary('take a run back to an earlier turn or step')
    .description(
      'Takes a run back to before a turn of an agent, or before a step, branch or task of an orchestration. First shows which tool calls may run again, and asks. Then ends all calls and child runs of the run.',
    )
    .argument('<workflowId>', 'the run; may be a child run')
    .requiredOption('--to <turn or step>', 'the number of a turn, or a step, branch or task')
    .option('--yes', 'do not ask')
    .option('--reason <text>', 'why; kept in the history')
    .option('--json', 'print JSON');
  addConnectionFlags(command).action(async (workflowId: string, flags: ResetFlags) => {
    const isAsked = flags.yes !== true;
    if (isAsked && (flags.json === true || !terminal.isInteractive))
      throw new UsageError('reset asks first, but there is no terminal here: pass --yes');
    const { reason, to } = flags;
    const confirm = async (planned: ResetPlan): Promise<boolean> => {
      if (flags.json !== true) for (const line of linesOf(planned)) terminal.print(line);
      return !isAsked || (await isAgreed(terminal));
    };
    const ask = async (longhaul: Longhaul): Promise<Answer> => {
      const turnOrStep = /^\d+$/.test(to) ? Number(to) : to;
      const options = { to: turnOrStep, confirm, ...(reason !== undefined && { reason }) };
      const plan = await longhaul.run(workflowId).reset(options);
      const line = plan === undefined ? 'nothing was changed' : `reset ${workflowId}`;
      return { json: { workflowId, reset: plan !== undefined, ...plan }, lines: [line] };
    };
    finish(await askServer(flags, terminal, ask));
  });
}

async function isAgreed(terminal: Terminal): Promise<boolean> {
  const answer = await terminal.ask('reset it? [y]es, [n]o > ');
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
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
