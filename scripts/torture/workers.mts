// The worker processes of a round: started, killed, shut down, frozen, and started again.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from './measure.mts';

const tortureScript = join(import.meta.dirname, 'worker.mts');
const outputKept = 4_000;
/**
 * Longer than the grace of calls that are under way, and than one poll, 70 s. If the server goes away just as a worker shuts down, SDK Core
 * 1.24 may wait for polls that the server has forgotten.
 */
const longestShutdownMs = 100_000;

type WorkerPlaceOptions = {
  readonly onWrong: (wrong: string) => void;
  /** Everything its processes write goes there. */
  readonly logFile?: string;
  /** What the processes run. It gets the settings as JSON, and sends a message when it polls. Default: the worker of torture. */
  readonly script?: string;
};

/** One place for a worker: whatever ends the process in it, the next one is started. */
export class WorkerPlace {
  readonly #settings: object;
  readonly #script: string;
  readonly #onWrong: (wrong: string) => void;
  readonly #logFile: string | undefined;
  #child: ChildProcess | undefined;
  #isFrozen = false;
  #isClosed = false;
  #ready: Promise<void> = Promise.resolve();
  #restartMs = 0;
  /** Processes started here. */
  starts = 0;
  #isExpected = false;

  constructor(settings: object, options: WorkerPlaceOptions) {
    const { onWrong, logFile, script = tortureScript } = options;
    this.#settings = settings;
    this.#script = script;
    this.#onWrong = onWrong;
    this.#logFile = logFile;
    this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Resolves when its process polls. */
  async polling(): Promise<void> {
    await this.#ready;
  }

  /** Another process takes its place so many milliseconds later. */
  kill(restartMs: number): true {
    return this.#end('SIGKILL', restartMs);
  }

  /** One that does not end in time is told of, and killed. */
  shutDown(restartMs: number): true {
    const child = this.#child;
    const late = setTimeout(() => {
      this.#onWrong(`a worker did not shut down within ${longestShutdownMs} ms`);
      child?.kill('SIGKILL');
    }, longestShutdownMs);
    child?.once('close', () => clearTimeout(late));
    return this.#end('SIGTERM', restartMs);
  }

  freeze(ms: number): true {
    const child = this.#child;
    if (child === undefined || this.#isFrozen) return true;
    this.#isFrozen = true;
    child.kill('SIGSTOP');
    setTimeout(() => this.#thaw(child), ms);
    return true;
  }

  /** There is one build of real workers here: `npm run upgrades` has several. */
  deploy(): false {
    return false;
  }

  /** What its process holds, after it has collected its garbage. */
  async measure(): Promise<Measured> {
    const child = this.#child;
    if (child === undefined) throw new Error('there is no worker to measure');
    const answer = once(child, 'message') as Promise<[Measured]>;
    child.send('measure');
    return (await answer)[0];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await exited;
  }

  #thaw(child: ChildProcess): void {
    if (this.#child === child) this.#isFrozen = false;
    child.kill('SIGCONT');
  }

  #end(signal: 'SIGKILL' | 'SIGTERM', restartMs: number): true {
    this.#isExpected = true;
    this.#restartMs = restartMs;
    this.#child?.kill(signal);
    return true;
  }

  #start(): void {
    if (this.#isClosed) return;
    this.starts += 1;
    this.#isFrozen = false;
    this.#isExpected = false;
    const child = fork(this.#script, [JSON.stringify(this.#settings)], { silent: true });
    this.#child = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output = (output + chunk).slice(-outputKept);
        if (this.#logFile !== undefined) appendFileSync(this.#logFile, chunk);
      });
    this.#ready = new Promise((resolve) => {
      child.once('message', resolve);
      child.once('close', resolve);
    });
    child.once('close', () => {
      if (!this.#isExpected && !this.#isClosed)
        this.#onWrong(`a worker ended by itself:\n${output}`);
      setTimeout(() => this.#start(), this.#isExpected ? this.#restartMs : 1_000);
    });
  }
}
