import type { Command } from 'commander';
import type { Longhaul } from '../../client';
import { printableJson } from '../render/text';
import type { CommandContext } from '../session/parse-options';
import {
  addConnectionFlags,
  type Answer,
  askServer,
  type ConnectionFlags,
} from '../session/connection';

export function addAuditCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('audit')
    .summary('list who decided what')
    .description(
      'Prints who started a run or a conversation, who decided what, on which arguments, and who cancelled: one JSON object per line, ' +
        'the oldest first, with the runs below. What it could not read is a line of kind `gap`.',
    )
    .argument('<workflowId>', 'the run or thread');
  addConnectionFlags(command).action(async (workflowId: string, flags: ConnectionFlags) => {
    const ask = async (longhaul: Longhaul): Promise<Answer> => {
      const entries = await longhaul.run(workflowId).audit();
      const gaps = entries.filter(({ kind }) => kind === 'gap').length;
      return {
        json: entries,
        lines: entries.map(printableJson),
        notes: gaps === 0 ? [] : [`not complete: see the ${gaps} lines of kind gap`],
      };
    };
    finish(await askServer(flags, terminal, ask));
  });
}
