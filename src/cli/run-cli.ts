import { redact } from '../providers/redact';
import { Interrupted, toCliError } from './cli-error';
import { exitCodeOf, exitCodes } from './exit-codes';
import { printable, printableJson } from './render/printable';
import { createProgram } from './program';
import type { Terminal } from './render/terminal';

/** Runs one command line to its exit code. Never throws. `crashed` rejects when code of the user fails beside the command. */
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
      // Without escapes first: they could part a credential from what it is known by.
      terminal.note(redact(printable(String(cause.stack))));
    }
  }
  return exitCodeOf(code);
}

/** Commander ends `--help` and `--version` by an error, too; help that nobody asked for means that a command is missing. */
function shownHelp(error: unknown): number | undefined {
  const { code, exitCode } = (error ?? {}) as { code?: unknown; exitCode?: unknown };
  if (code === 'commander.helpDisplayed' || code === 'commander.version') return exitCodes.done;
  if (code !== 'commander.help') return undefined;
  return exitCode === 0 ? exitCodes.done : exitCodes.usage;
}
