import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { watchedCommand } from '../../server/watched-command';
import type { CliError } from '../cli-error';
import type { WorkerCommand, WorkerMessage, WorkerStart } from './worker-messages';

type ReadyMessage = WorkerMessage & { readonly kind: 'ready' };

/** A worker's process could not take up work; the agents it had loaded by then came from `files`. */
export class WorkerNotReady extends Error {
  override readonly name = 'WorkerNotReady';
  readonly error: CliError;
  readonly files: readonly string[];

  constructor(error: CliError, files: readonly string[]) {
    super(error.message);
    this.error = error;
    this.files = files;
  }
}

export type WorkerProcess = {
  /** Rejects with `WorkerNotReady`. */
  readonly ready: Promise<ReadyMessage>;
  /** Resolves with a few words on how the process ended. */
  readonly exited: Promise<string>;
  /** Lets calls in flight end; `quiet` when nobody needs to hear of its troubles any more. */
  drain(options: { quiet: boolean }): void;
  kill(): void;
};

/** Starts a worker in a process that ends with this one, however this one ends. */
export function startWorkerProcess(start: WorkerStart): WorkerProcess {
  const child = spawnWorker(['dev-worker', JSON.stringify(start)]);
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  }).finally(() => process.off('exit', killAtExit));
  const ready = new Promise<ReadyMessage>((resolve, reject) => {
    child.once('message', (message: WorkerMessage) => {
      if (message.kind === 'ready') resolve(message);
      else reject(new WorkerNotReady(message.error, message.files));
    });
    void exited.then((how) => {
      const message = `the worker ended before it was ready: ${how}`;
      reject(new WorkerNotReady({ code: 'InternalError', message, details: {} }, []));
    });
  });
  ready.catch(() => undefined);
  return {
    ready,
    exited,
    drain: ({ quiet }) => {
      const command: WorkerCommand = { kind: 'stop', quiet };
      if (child.connected) child.send(command, () => undefined);
    },
    kill: killAtExit,
  };
}

/** By way of a shell that watches this process: a handler in the worker would not run while a tool blocks it. */
function spawnWorker(args: readonly string[]): ChildProcess {
  const command = [
    process.execPath,
    ...process.execArgv,
    join(__dirname, '..', 'main.js'),
    ...args,
  ];
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  if (process.platform === 'win32') {
    return spawn(String(command[0]), command.slice(1), { stdio: [...stdio] });
  }
  return spawn('/bin/sh', ['-c', watchedCommand, 'sh', ...command], { stdio: [...stdio] });
}
