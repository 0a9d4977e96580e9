import type { Command } from 'commander';
import type { RunHandle } from '../../client';
import type { CommandContext } from '../session/command-context';
import { addPersonFlags, decide, type PersonFlags } from '../session/decide';
import { parseJsonObject } from '../session/parse-options';

type ApproveFlags = PersonFlags & { readonly args?: string };

export function addApproveCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('approve')
    .summary('let a waiting tool call run')
    .description(
      'Lets a tool call that waits for approval run, with other arguments if they are given.',
    )
    .argument('<runId>', 'the run')
    .argument('<inputId>', 'the approval, as `show` lists it')
    .option('--args <json|@file>', 'arguments to call with instead');
  addPersonFlags(command).action(async (runId: string, inputId: string, flags: ApproveFlags) => {
    const args = flags.args === undefined ? {} : { args: parseJsonObject('--args', flags.args) };
    const act = (run: RunHandle): Promise<void> => run.approve(inputId, args);
    finish(await decide({ runId, done: 'approved', act }, flags, terminal));
  });
}
