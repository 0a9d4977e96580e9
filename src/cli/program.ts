import { Command } from 'commander';
import type { AddCommand, CommandContext } from './session/command-context';
import { addApproveCommand, addRejectCommand, addResumeCommand } from './commands/answer';
import { addCancelCommand } from './commands/cancel';
import { addChatCommand } from './commands/chat';
import { addDevCommand } from './commands/dev';
import { addDevWorkerCommand } from './commands/dev-worker';
import { addDiffCommand } from './commands/diff';
import { addDoctorCommand } from './commands/doctor';
import { addInboxCommand } from './commands/inbox';
import { addInitCommand } from './commands/init';
import { addListCommand } from './commands/list';
import { addResetCommand } from './commands/reset';
import { addRunCommand } from './commands/run';
import { addSetupCommand } from './commands/setup';
import { addSchemaCommand } from './commands/schema';
import { addShowCommand } from './commands/show';
import { addThreadsCommand } from './commands/threads';
import { addValidateCommand } from './commands/validate';
import { addWorkerCommand } from './commands/worker';
import { exitCodeHelp } from './exit-codes';
import { packageVersion } from './session/package-version';

const commands: readonly AddCommand[] = [
  addInitCommand,
  addDevCommand,
  addWorkerCommand,
  addRunCommand,
  addChatCommand,
  addResumeCommand,
  addApproveCommand,
  addRejectCommand,
  addShowCommand,
  addListCommand,
  addInboxCommand,
  addThreadsCommand,
  addCancelCommand,
  addResetCommand,
  addSetupCommand,
  addValidateCommand,
  addSchemaCommand,
  addDiffCommand,
  addDoctorCommand,
  addDevWorkerCommand,
];

/** The whole command line. Wrong usage is thrown, not printed. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('longhaul')
    .description('Runs LLM agents as durable Temporal workflows.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .addHelpText('afterAll', exitCodeHelp)
    .showSuggestionAfterError()
    .configureOutput({ outputError: () => undefined });
  for (const add of commands) add(program, context);
  for (const command of [program, ...program.commands]) {
    command.exitOverride().allowExcessArguments(false);
  }
  return program;
}
