import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAgents, type LoadedAgents } from '../../src/cli/session/agents-file';
import { runCli } from '../../src/cli/run-cli';
import type { Longhaul } from '../../src/client';
import { devServerAddress } from '../servers';
import { fakeTerminal } from '../unit/cli/fake-terminal';
import { openHarness, type Harness } from '../workflow/harness';
import type { Finished } from './built-cli';
import { cliAgents } from './cli-agents';

/** The command line in this process, for what needs no process of its own, and one worker with the clerk and his colleagues. */
export type ClerkHere = {
  readonly longhaul: Longhaul;
  /** The file with the agents. */
  readonly file: string;
  readonly agents: LoadedAgents;
  /** Flags that name the worker's task queue. */
  readonly queue: readonly string[];
  run(...args: readonly string[]): Promise<Finished>;
  /** `longhaul run clerk`, by that worker. */
  runAgent(input: string, ...args: readonly string[]): Promise<Finished>;
};

/** Is there from the first test of this `describe` on. */
export function useClerkHere(): ClerkHere {
  const here = { run: runHere } as { -readonly [Key in keyof ClerkHere]: ClerkHere[Key] };
  here.runAgent = (input, ...args) => runHere('run', 'clerk', input, ...here.queue, ...args);
  let harness: Harness;
  let folder: string;
  beforeAll(async () => {
    process.env['TEMPORAL_ADDRESS'] = devServerAddress();
    folder = mkdtempSync(join(tmpdir(), 'longhaul-here-'));
    here.file = join(folder, 'longhaul.config.ts');
    writeFileSync(here.file, cliAgents);
    here.agents = await loadAgents({ kind: 'module', file: here.file });
    harness = await openHarness();
    here.longhaul = harness.longhaul;
    here.queue = ['--task-queue', harness.taskQueue];
    await harness.worker(here.agents.options);
  });
  afterAll(async () => {
    await harness.close();
    rmSync(folder, { recursive: true });
  });
  return here;
}

/** Runs a command line to its end: what it prints is kept as a process would have written it. */
export async function runHere(...args: readonly string[]): Promise<Finished> {
  const terminal = fakeTerminal({ width: 100 });
  const code = await runCli(args, terminal);
  return { code, stdout: textOf(terminal.printed), stderr: textOf(terminal.noted) };
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
