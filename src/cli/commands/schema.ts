import type { Command } from 'commander';
import { specFileSchema } from '../../define/files/published';
import type { CommandContext } from '../session/command-context';
import { exitCodes } from '../exit-codes';

export function addSchemaCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('schema')
    .summary('print the JSON Schema of specs')
    .description('Prints the JSON Schema of files of specs, for editors.')
    .action(() => {
      terminal.print(JSON.stringify(specFileSchema(), null, 2));
      finish(exitCodes.done);
    });
}
