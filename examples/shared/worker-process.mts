import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { WorkerSettings } from './worker-settings.mts';

const keptOutput = 4_000;
const stopTimeoutMs = 5_000;

/** A worker in a process of its own. What it logs is shown only when it fails. */
export class WorkerProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? -1;
    this.#exited = once(child, 'exit');
  }

  /** Resolves when it takes work. */
  static async start(script: URL, settings: WorkerSettings): Promise<WorkerProcess> {
    const child = fork(script, [JSON.stringify(settings)], { silent: true });
    process.once('exit', () => child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        output = (output + chunk).slice(-keptOutput);
      });
    }
    const worker = new WorkerProcess(child);
    const failed = worker.#exited.then(() => {
      throw new Error(`the worker did not start:\n${output.trim()}`);
    });
    await Promise.race([once(child, 'message'), failed]);
    failed.catch(() => undefined);
    return worker;
  }

  /** As a crash would: without a chance to say anything. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
    await this.#exited;
    clearTimeout(timer);
  }
}
