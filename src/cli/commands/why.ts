import type { Command } from 'commander';
import type { Longhaul } from '../../client';
import type { CommandContext } from '../session/parse-options';
import {
  addConnectionFlags,
  type Answer,
  askServer,
  type ConnectionFlags,
} from '../session/connection';
import { printableLine } from '../render/text';

type WhyFlags = ConnectionFlags & { readonly json?: true };

export function addWhyCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('why')
    .summary('say why a run does not move')
    .description(
      'Says in two sentences what a run waits for or retries, and what to do about it. Needs no worker.',
    )
    .argument('<workflowId>', 'the run or conversation')
    .option('--json', 'print JSON');
  addConnectionFlags(command).action(async (workflowId: string, flags: WhyFlags) => {
    const ask = async (longhaul: Longhaul): Promise<Answer> => {
      const why = await longhaul.run(workflowId).why();
      const { reason, todo } = why;
      return {
        json: why,
        lines: [reason, ...(todo === undefined ? [] : [todo])].map(printableLine),
      };
    };
    finish(await askServer(flags, terminal, ask));
  });
}
