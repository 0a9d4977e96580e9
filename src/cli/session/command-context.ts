import type { Command } from 'commander';
import type { Terminal } from '../render/terminal';

/** What every command is given: where it talks, and where its exit code goes. */
export type CommandContext = {
  readonly terminal: Terminal;
  readonly finish: (exitCode: number) => void;
};

export type AddCommand = (program: Command, context: CommandContext) => void;
