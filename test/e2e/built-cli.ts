import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { devServerAddress } from '../servers';
import { builtPackage, compiledOnce } from './built-package';

export type Finished = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type RunningCli = {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Resolves once stdout or stderr has something that matches. */
  shows(pattern: RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly finished: Promise<Finished>;
};

export type CliOptions = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
};

/** Runs the command line in processes of its own. */
export type BuiltCli = {
  /** A user's project: a folder with these files in which the package is installed. */
  project(files: Readonly<Record<string, string>>): Promise<string>;
  start(args: readonly string[], options: CliOptions): RunningCli;
  /** The same by way of another process, which is the one returned. */
  startBelow(args: readonly string[], options: CliOptions): RunningCli;
  run(args: readonly string[], options: CliOptions): Promise<Finished>;
  /** Kills what still runs. */
  killAll(): void;
};

const parent =
  "require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })";

export async function builtCli(): Promise<BuiltCli> {
  const folder = await builtPackage();
  const main = join(folder, 'node_modules/longhaul/dist/cli/main.js');
  const started: RunningCli[] = [];
  const keep = (running: RunningCli): RunningCli => {
    started.push(running);
    return running;
  };
  const start = (args: readonly string[], options: CliOptions): RunningCli =>
    keep(startProcess([main, ...args], options));
  return {
    project: async (files) => {
      const project = await mkdtemp(join(folder, 'project-'));
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(project, name)), { recursive: true });
        await writeFile(join(project, name), text);
      }
      return project;
    },
    start,
    startBelow: (args, options) => keep(startProcess(['-e', parent, main, ...args], options)),
    run: (args, options) => start(args, options).finished,
    killAll: () => {
      for (const running of started.splice(0)) running.kill('SIGKILL');
    },
  };
}

function startProcess(args: readonly string[], { cwd, env, input = '' }: CliOptions): RunningCli {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...serverEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined).end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const finished = once(child, 'exit').then(([code]) => ({
    code: code as number | null,
    stdout,
    stderr,
  }));
  const shows = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(stdout) && !pattern.test(stderr)) {
      const next = [child.stdout, child.stderr].map((stream) => once(stream, 'data'));
      const ended = finished.then(() => {
        throw new Error(`it ended before it showed ${String(pattern)}:\n${stdout}\n${stderr}`);
      });
      await Promise.race([...next, ended]);
    }
  };
  return {
    pid: child.pid ?? -1,
    stdout: () => stdout,
    stderr: () => stderr,
    shows,
    kill: (signal) => void child.kill(signal),
    finished,
  };
}

/** Where the Temporal CLI is found stays as it is for the tests. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const { TEMPORAL_CLI, XDG_CACHE_HOME, TMPDIR } = process.env;
  const kept = { TEMPORAL_CLI, XDG_CACHE_HOME, TMPDIR };
  return { ...kept, ...compiledOnce(), TEMPORAL_ADDRESS: devServerAddress() };
}

/** What a command printed with --json, a value per line. */
export function linesOf({ stdout }: Pick<Finished, 'stdout'>): unknown[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50));
}
