import type { Command } from 'commander';
import type { RunHandle } from '../../client';
import type { CommandContext } from '../session/command-context';
import { addPersonFlags, decide, type PersonFlags } from '../session/decide';

export function addRejectCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('reject')
    .summary('refuse a waiting tool call')
    .description('Refuses a tool call that waits for approval; the model is told the reason.')
    .argument('<runId>', 'the run')
    .argument('<inputId>', 'the approval, as `show` lists it')
    .argument('<reason>', 'what the model is told');
  addPersonFlags(command).action(
    async (...[runId, inputId, reason, flags]: [string, string, string, PersonFlags]) => {
      const act = (run: RunHandle): Promise<void> => run.reject(inputId, reason);
      finish(await decide({ runId, done: 'refused', act }, flags, terminal));
    },
  );
}
