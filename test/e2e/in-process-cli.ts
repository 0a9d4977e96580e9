import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAgents, type LoadedAgents } from '../../src/cli/session/agents';
import { runCli } from '../../src/cli/run-cli';
import type { Longhaul } from '../../src/client';
import { devServerAddress } from '../servers';
import { fakeTerminal } from '../unit/cli/fake-terminal';
import { openHarness, type Harness } from '../workflow/harness';
import type { Finished } from './built-cli';
import { cliAgents } from './cli-agents';

/** The command line in this process, for what needs no process of its own, and one worker with the agents of `cli-agents`. */
export type InProcessCli = {
  readonly longhaul: Longhaul;
  /** The file with the agents. */
  readonly file: string;
  readonly agents: LoadedAgents;
  /** Flags that name the worker's task queue. */
  readonly queue: readonly string[];
  run(...args: readonly string[]): Promise<Finished>;
  /** `longhaul run helper`, by that worker. */
  runAgent(input: string, ...args: readonly string[]): Promise<Finished>;
};

/** Is there from the first test of this `describe` on. */
export function useInProcessCli(): InProcessCli {
  const cli = { run: runInProcess } as { -readonly [Key in keyof InProcessCli]: InProcessCli[Key] };
  cli.runAgent = (input, ...args) => runInProcess('run', 'helper', input, ...cli.queue, ...args);
  let harness: Harness;
  let folder: string;
  beforeAll(async () => {
    process.env['TEMPORAL_ADDRESS'] = devServerAddress();
    folder = mkdtempSync(join(tmpdir(), 'longhaul-here-'));
    cli.file = join(folder, 'longhaul.config.ts');
    writeFileSync(cli.file, cliAgents);
    cli.agents = await loadAgents({ kind: 'module', file: cli.file });
    harness = await openHarness();
    cli.longhaul = harness.longhaul;
    cli.queue = ['--task-queue', harness.taskQueue];
    await harness.worker(cli.agents.options);
  });
  afterAll(async () => {
    await harness.close();
    rmSync(folder, { recursive: true });
  });
  return cli;
}

/** Runs a command line to its end: what it prints is kept as a process would have written it. */
export async function runInProcess(...args: readonly string[]): Promise<Finished> {
  const terminal = fakeTerminal({ width: 100 });
  const code = await runCli(args, terminal);
  return { code, stdout: textOf(terminal.printed), stderr: textOf(terminal.noted) };
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
