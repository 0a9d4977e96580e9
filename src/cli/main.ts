#!/usr/bin/env node
import './session/require-node';
import './session/keep-compiled';
import { showNodeWarnings } from './node-warnings';
import { runCli } from './run-cli';
import { createTerminal } from './render/terminal';

/** A reader that has seen enough, such as `head`, is no error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

const terminal = createTerminal();
showNodeWarnings((line) => terminal.note(line));
const crashed = new Promise<never>((_, reject) => {
  process.on('uncaughtException', reject);
  process.on('unhandledRejection', reject);
});
void runCli(process.argv.slice(2), terminal, crashed).then((exitCode) => {
  // Whatever the user's own code or a connection still holds open, the command is over.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
});
