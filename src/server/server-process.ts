import { spawn, type ChildProcess } from 'node:child_process';
import { watchedCommand } from './watched-command';

const stopTimeoutMs = 5_000;
const keptOutput = 4_000;

export type ServerProcess = {
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>;
  /** The last it printed. */
  output(): string;
  stop(): Promise<void>;
};

/**
 * Starts a server that ends with this process. When this process exits in the ordinary way, an exit handler kills the server at
 * once; when it is killed, by whatever signal, the shell's watcher does so within a second (not on Windows). No signal handler
 * is installed: it would change how the process that uses this one reacts to its signals.
 */
export function startProcess(command: string, args: readonly string[]): ServerProcess {
  const child = spawnWatched(command, args);
  let output = '';
  const keep = (chunk: string): void => {
    output = (output + chunk).slice(-keptOutput);
  };
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      keep(error.message);
      resolve();
    });
  }).finally(() => process.removeListener('exit', killAtExit));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await exited;
    clearTimeout(timer);
  };
  return { pid: child.pid ?? -1, exited, output: () => output.trim(), stop };
}

function spawnWatched(command: string, args: readonly string[]): ChildProcess {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  if (process.platform === 'win32') return spawn(command, args, { stdio: [...stdio] });
  return spawn('/bin/sh', ['-c', watchedCommand, 'sh', command, ...args], { stdio: [...stdio] });
}
