import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledOnce } from './built-package';
import type { WorkerSettings } from './kill-worker-process.mts';

/** A worker in a process of its own, which can be killed. It ends with the test's process. */
export class WorkerProcess {
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  #output = '';

  private constructor(folder: string, settings: WorkerSettings) {
    // A copy of its own: one that starts at the same time must not read a file that is just being written.
    const script = join(folder, `${randomUUID()}.mts`);
    copyFileSync(join(__dirname, 'kill-worker-process.mts'), script);
    this.#child = spawn(process.execPath, [script, JSON.stringify(settings)], {
      env: { ...process.env, ...compiledOnce() },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => (this.#output += chunk));
    }
    this.exited = new Promise((resolve) => this.#child.once('close', () => resolve()));
  }

  /** Runs it from `folder`, where the package is installed; resolves once it polls. */
  static async start(folder: string, settings: WorkerSettings): Promise<WorkerProcess> {
    const worker = new WorkerProcess(folder, settings);
    const polling = new Promise((resolve) => worker.#child.once('message', resolve));
    const ended = worker.exited.then(() => {
      throw new Error(`the worker ended before it polled:\n${worker.#output}`);
    });
    await Promise.race([polling, ended]);
    ended.catch(() => undefined);
    return worker;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }
}
