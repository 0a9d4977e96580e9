import { loadProviders } from './session/load-parts';
import { exitCodeHelp, exitCodeOf, exitCodes, Interrupted, toCliError, UsageError } from './exit';
import { printable, printableJson } from './render/text';
import type { Terminal } from './render/terminal';
import { Command } from 'commander';
import type { AddCommand, CommandContext } from './session/parse-options';
import { addAnswerCommand } from './commands/answer';
import { addMigrateCommand } from './commands/migrate';
import { addSendCommand } from './commands/send';
import { addCancelCommand } from './commands/cancel';
import { addChatCommand } from './commands/chat';
import { addDevCommand } from './commands/dev';
import { addDevWorkerCommand } from './dev/dev-worker';
import { addDoctorCommand } from './commands/doctor';
import { addGcCommand } from './commands/gc';
import { addListCommand } from './commands/list';
import { addInitCommand } from './commands/init';
import { addResetCommand } from './commands/reset';
import { addRunCommand } from './commands/run';
import { addSpecCommand } from './commands/spec';
import { addShowCommand } from './commands/show';
import { addWorkerCommand } from './commands/worker';
import { packageVersion } from '../server/machine';

const commands: readonly AddCommand[] = [
  addInitCommand,
  addDevCommand,
  addWorkerCommand,
  addRunCommand,
  addChatCommand,
  addAnswerCommand,
  addSendCommand,
  addShowCommand,
  addListCommand,
  addCancelCommand,
  addResetCommand,
  addMigrateCommand,
  addSpecCommand,
  addDoctorCommand,
  addGcCommand,
  addDevWorkerCommand,
];

/** Commands of 0.2.0, each with the command in its place. */
const formerCommands: Readonly<Record<string, string>> = {
  resume: 'answer <id> <text>',
  approve: 'answer <id> --approve <inputId>',
  reject: 'answer <id> --reject <inputId> <reason>',
  complete: 'answer <id> --complete <inputId> <json>',
  fail: 'answer <id> --fail <inputId> <reason>',
  why: 'show <id> --why',
  audit: 'show <id> --audit',
  inbox: 'list --inbox',
  threads: 'list --threads',
  validate: 'spec check <path>',
  diff: 'spec diff <old> <new>',
  schema: 'spec schema',
  setup: 'doctor --fix',
};

/** Runs one command line and returns its exit code. Never throws. `crashed` rejects if the user's code fails outside of the command. */
export async function runCli(
  args: readonly string[],
  terminal: Terminal,
  crashed: Promise<never> = new Promise(() => undefined),
): Promise<number> {
  let exitCode: number = exitCodes.done;
  try {
    const [name = ''] = args;
    const now = Object.hasOwn(formerCommands, name) ? formerCommands[name] : undefined;
    if (now !== undefined) throw new UsageError(`'${name}' is now '${now}'`);
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

/** Every command has options. A note of that in each line would leave no room for what the command does. */
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
    .configureOutput({ outputError: () => undefined })
    .exitOverride()
    .allowExcessArguments(false);
  for (const add of commands) add(program, context);
  return program;
}
