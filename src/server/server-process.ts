import { type ChildProcess, spawn } from 'node:child_process';
import { watchedCommand } from './watched-command';
import { Connection } from '@temporalio/client';

const attemptMs = 2_000;

const pauseMs = 50;

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

type ServingOptions = {
  readonly namespace: string;
  readonly timeoutMs: number;
  /** Settles when the server's process ends: waiting is over then. */
  readonly ended: Promise<void>;
};

/** Resolves when the server at the address answers for the namespace; rejects when it ends before or takes too long. */
export async function waitUntilServing(
  address: string,
  { namespace, timeoutMs, ended }: ServingOptions,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let hasEnded = false;
  const markEnded = ended.then(() => {
    hasEnded = true;
  });
  let reason = '';
  while (!hasEnded && Date.now() < deadline) {
    try {
      await answer(address, namespace);
      return;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    await Promise.race([markEnded, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
  }
  throw new Error(
    hasEnded ? 'its process ended' : `no answer in ${timeoutMs / 1000} s (${reason})`,
  );
}

async function answer(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: attemptMs });
  try {
    await connection.withDeadline(Date.now() + attemptMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } finally {
    await connection.close();
  }
}
