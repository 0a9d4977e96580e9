import { loadProviders } from './session/load-parts';
import { exitCodeHelp, exitCodeOf, exitCodes, Interrupted, toCliError } from './exit';
import { printable, printableJson } from './render/text';
import type { Terminal } from './render/terminal';
import { Command } from 'commander';
import type { AddCommand, CommandContext } from './session/parse-options';
import {
  addApproveCommand,
  addCompleteCommand,
  addFailCommand,
  addRejectCommand,
  addResumeCommand,
} from './commands/answer';
import { addAuditCommand } from './commands/audit';
import { addMigrateCommand } from './commands/migrate';
import { addSendCommand } from './commands/send';
import { addCancelCommand } from './commands/cancel';
import { addChatCommand } from './commands/chat';
import { addDevCommand } from './commands/dev';
import { addDevWorkerCommand } from './dev/dev-worker';
import { addDiffCommand } from './commands/diff';
import { addDoctorCommand } from './commands/doctor';
import { addGcCommand } from './commands/gc';
import { addInboxCommand, addListCommand, addThreadsCommand } from './commands/lists';
import { addInitCommand } from './commands/init';
import { addResetCommand } from './commands/reset';
import { addRunCommand } from './commands/run';
import { addSetupCommand } from './commands/setup';
import { addSchemaCommand, addValidateCommand } from './commands/validate';
import { addShowCommand } from './commands/show';
import { addWhyCommand } from './commands/why';
import { addWorkerCommand } from './commands/worker';
import { packageVersion } from '../server/machine';

const commands: readonly AddCommand[] = [
  addInitCommand,
  addDevCommand,
  addWorkerCommand,
  addRunCommand,
  addChatCommand,
  addResumeCommand,
  addApproveCommand,
  addRejectCommand,
  addCompleteCommand,
  addFailCommand,
  addSendCommand,
  addShowCommand,
  addWhyCommand,
  addListCommand,
  addInboxCommand,
  addThreadsCommand,
  addAuditCommand,
  addCancelCommand,
  addResetCommand,
  addMigrateCommand,
  addSetupCommand,
  addGcCommand,
  addValidateCommand,
  addSchemaCommand,
  addDiffCommand,
  addDoctorCommand,
  addDevWorkerCommand,
];

/** Runs one command line and returns its exit code. Never throws. `crashed` rejects if the user's code fails outside of the command. */
export async function runCli(
  args: readonly string[],
  terminal: Terminal,
  crashed: Promise<never> = new Promise(() => undefined),
): Promise<number> {
  let exitCode: number = exitCodes.done;
  try {
    const program = createProgram({ terminal, finish: (code) => (exitCode = code) });
    await Promise.race([program.parseAsync(args, { from: 'user' }), crashed]);
    return exitCode;
  } catch (error) {
    return report(error, args, terminal);
  }
}

function report(error: unknown, args: readonly string[], terminal: Terminal): number {
  const shown = shownHelp(error);
  if (shown !== undefined) return shown;
  if (error instanceof Interrupted) {
    terminal.note(error.message);
    return exitCodes.interrupted;
  }
  const { code, message, details } = toCliError(error);
  if (args.includes('--json')) terminal.print(printableJson({ error: { code, message, details } }));
  terminal.note(`error: ${message}`);
  if (process.env['LONGHAUL_DEBUG'] === '1' && error instanceof Error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      // Removes escapes first: they could separate a credential from the text that identifies it.
      terminal.note(loadProviders().redact(printable(String(cause.stack))));
    }
  }
  return exitCodeOf(code);
}

/** Commander also ends `--help` and `--version` with an error. Help that nobody asked for means that a command is missing. */
function shownHelp(error: unknown): number | undefined {
  const { code, exitCode } = (error ?? {}) as { code?: unknown; exitCode?: unknown };
  if (code === 'commander.helpDisplayed' || code === 'commander.version') return exitCodes.done;
  if (code !== 'commander.help') return undefined;
  return exitCode === 0 ? exitCodes.done : exitCodes.usage;
}

/** Every command has options. To say so in each line leaves no room for what it does. */
function subcommandTerm(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...words].join(' ');
}

/** The whole command line. It throws wrong usage, and does not print it. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('longhaul')
    .description('Runs LLM agents as durable Temporal workflows.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .addHelpText('afterAll', exitCodeHelp)
    .showSuggestionAfterError()
    .configureHelp({ minWidthToWrap: 20, subcommandTerm })
    .configureOutput({ outputError: () => undefined });
  for (const add of commands) add(program, context);
  for (const command of [program, ...program.commands]) {
    command.exitOverride().allowExcessArguments(false);
  }
  return program;
}
