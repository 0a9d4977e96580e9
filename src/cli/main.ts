#!/usr/bin/env node
import './before-all';
import { runCli } from './run-cli';
import { createTerminal } from './render/terminal';
import { printableLine } from './render/text';

/** Node's warnings about how it loads the user's files. A person who runs a command need not change anything. */
const expectedWarnings = ['ExperimentalWarning', 'MODULE_TYPELESS_PACKAGE_JSON'];

/** A reader that stops early, such as `head`, is not an error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const terminal = createTerminal();
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  const { code } = warning as { code?: unknown };
  if (expectedWarnings.includes(warning.name) || expectedWarnings.includes(String(code))) return;
  terminal.note(`warning: ${printableLine(warning.message)}`);
});
const crashed = new Promise<never>((_, reject) => {
  process.on('uncaughtException', reject);
  process.on('unhandledRejection', reject);
});
void runCli(process.argv.slice(2), terminal, crashed).then((exitCode) => {
  // The command is over, even if the user's code or a connection is still open.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
});
