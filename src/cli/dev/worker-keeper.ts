import { loadDevServer } from '../session/load-parts';
import { type AgentsSource, sourceFiles } from '../session/agents';
import { messageOf } from '../exit';
import { printableLine } from '../render/text';
import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { join } from 'node:path';

import type { ConnectionFlags } from '../session/connection';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const parentCheckMs = 500;

const everyMs = 300;

export type KeeperOptions = {
  readonly start: WorkerStart;
  readonly note: (line: string) => void;
  /** Starts a worker. Tests give their own function. */
  readonly startProcess?: (start: WorkerStart) => WorkerProcess;
};

const settleMs = 150;

const firstPauseMs = 500;

const longestPauseMs = 10_000;

const stopTimeoutMs = 2_000;

/**
 * Keeps one worker up. Starts a new one when the agents' files change and when the worker dies. The old one stops when the new one takes
 * work, and ends its open calls first. If the new one cannot start, the old one stays.
 */
export class WorkerKeeper {
  readonly #start: WorkerStart;
  readonly #note: (line: string) => void;
  readonly #startProcess: (start: WorkerStart) => WorkerProcess;
  readonly #files = watchFiles(() => this.#reloadSoon(settleMs));
  /** The current worker, and old ones that still end their calls. */
  readonly #all = new Set<WorkerProcess>();
  #current: WorkerProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reloading: Promise<void> = Promise.resolve();
  #pauseMs = firstPauseMs;
  #isStopped = false;

  constructor({ start, note, startProcess = startWorkerProcess }: KeeperOptions) {
    this.#start = start;
    this.#note = note;
    this.#startProcess = startProcess;
  }

  /** The first worker; later ones replace it. Rejects with `WorkerNotReady`. */
  async start(): Promise<ReadyWorker> {
    const next = this.#startProcess(this.#start);
    this.#all.add(next);
    void next.exited.then((how) => this.#onExit(next, how));
    const ready = await next.ready;
    this.#current?.drain({ quiet: false });
    this.#current = next;
    this.#files.watch([...sourceFiles(this.#start.source), ...ready.files]);
    return ready;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#files.close();
    for (const worker of this.#all) worker.drain({ quiet: true });
    const timer = setTimeout(() => {
      for (const worker of this.#all) worker.kill();
    }, stopTimeoutMs);
    await Promise.all([...this.#all].map((worker) => worker.exited));
    clearTimeout(timer);
  }

  #onExit(worker: WorkerProcess, how: string): void {
    this.#all.delete(worker);
    if (worker !== this.#current || this.#isStopped) return;
    this.#current = undefined;
    this.#note(`warning: the worker ended (${how}); starting another one`);
    this.#reloadSoon(this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
  }

  #reloadSoon(pauseMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#reloading = this.#reloading.then(() => this.#reload());
    }, pauseMs);
  }

  async #reload(): Promise<void> {
    if (this.#isStopped) return;
    try {
      const { agents } = await this.start();
      this.#note(`reloaded: ${agents.map(printableLine).join(', ') || 'no agents'}`);
    } catch (error) {
      if (!this.#isStopped) this.#explain(error);
    }
  }

  #explain(error: unknown): void {
    const state =
      this.#current === undefined ? 'waiting for a change' : 'the agents from before keep running';
    this.#note(`error: ${printableLine(messageOf(error))} (${state})`);
    if (error instanceof WorkerNotReady) {
      this.#files.watch([...this.#files.watched(), ...error.files]);
    }
  }
}

type WatchedFiles = {
  watched(): readonly string[];
  /** Watches only these files from now on. */
  watch(files: readonly string[]): void;
  close(): void;
};

/**
 * Calls `onChange` when a file changes, appears or disappears. It polls the files: editors replace a file instead of writing it, and not
 * every file system sends notifications.
 */
function watchFiles(onChange: () => void): WatchedFiles {
  let watched: readonly string[] = [];
  const look = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) onChange();
  };
  const watch = (files: readonly string[]): void => {
    const wanted = [...new Set(files)];
    for (const file of watched) if (!wanted.includes(file)) unwatchFile(file, look);
    for (const file of wanted) {
      if (!watched.includes(file)) watchFile(file, { interval: everyMs, persistent: false }, look);
    }
    watched = wanted;
  };
  return { watched: () => watched, watch, close: () => watch([]) };
}

type ReadyMessage = WorkerMessage & { readonly kind: 'ready' };

/** A worker's process could not take work. `files` are those of the agents that it had loaded by then. */
class WorkerNotReady extends Error {
  override readonly name = 'WorkerNotReady';
  readonly files: readonly string[];

  constructor(message: string, files: readonly string[]) {
    super(message);
    this.files = files;
  }
}

type WorkerProcess = {
  /** Rejects with `WorkerNotReady`. */
  readonly ready: Promise<ReadyMessage>;
  /** Resolves with a few words on how the process ended. */
  readonly exited: Promise<string>;
  /** Lets calls in flight end. With `quiet`, the worker's complaints no longer matter. */
  drain(options: { quiet: boolean }): void;
  kill(): void;
};

/** Starts a worker in a separate process. That process ends with this one, however this one ends. */
function startWorkerProcess(start: WorkerStart): WorkerProcess {
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
      else reject(new WorkerNotReady(message.problem, message.files));
    });
    void exited.then((how) => {
      reject(new WorkerNotReady(`the worker ended before it was ready: ${how}`, []));
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

/** A shell watches this process and ends the worker with it. A handler in the worker would not run while a tool blocks it. */
function spawnWorker(args: readonly string[]): ChildProcess {
  const main = join(__dirname, '..', 'main.js');
  const words = [...process.execArgv, main, ...args];
  const options: SpawnOptions = { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] };
  if (process.platform === 'win32') return spawn(process.execPath, words, options);
  const { watchedCommand } = loadDevServer();
  return spawn('/bin/sh', ['-c', watchedCommand, 'sh', process.execPath, ...words], options);
}

/** What the worker's process gets when it starts, as JSON on its command line. */
export type WorkerStart = {
  readonly source: AgentsSource;
  /** A server without TLS. Settings for TLS in the environment do not count. */
  readonly server?: { readonly address: string };
  /** The command's flags, for any other server. The rest is in the environment and Temporal's configuration file. */
  readonly connection?: ConnectionFlags;
  readonly namespace: string;
  readonly taskQueue?: string;
};

/** A worker that takes work. */
export type ReadyWorker = {
  readonly agents: readonly string[];
  readonly taskQueue: string;
};

/** What the worker's process reports. `files` are the modules and specs of its agents. */
export type WorkerMessage =
  | ({ readonly kind: 'ready'; readonly files: readonly string[] } & ReadyWorker)
  | { readonly kind: 'failed'; readonly problem: string; readonly files: readonly string[] };

/** Makes the worker's process end its calls in flight and exit. `quiet` if its server ends, too: complaints then mean nothing. */
export type WorkerCommand = { readonly kind: 'stop'; readonly quiet: boolean };

/** Resolves when a command that serves must end: on a signal, or when the process that started it is gone, such as `npx`. */
export function endOfServing(): Promise<void> {
  return new Promise((resolve) => {
    void endSignal().then(resolve);
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, parentCheckMs).unref();
  });
}

/** Resolves on the first of these signals. Ignores later ones: npm repeats the terminal's Ctrl-C, and the time to end is limited anyway. */
export function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve());
  });
}
