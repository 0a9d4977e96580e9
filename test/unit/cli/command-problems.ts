import { createProgram } from '../../../src/cli/run-cli';
import { fakeTerminal } from './fake-terminal';

/** What of a command line, `longhaul` included, this version does not know; it is not run. */
export function commandProblems([binary, name, ...words]: readonly string[]): readonly string[] {
  const program = createProgram({ terminal: fakeTerminal(), finish: () => undefined });
  const command = program.commands.find((candidate) => candidate.name() === name);
  if (binary !== 'longhaul' || command === undefined) return [`${binary} ${name}`];
  const { operands, unknown } = command.parseOptions([...words]);
  return [...operands, ...unknown];
}
