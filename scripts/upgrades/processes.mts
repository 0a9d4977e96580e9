// Workers and clients of a version: processes that run from its folder.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientSettings, Facts, Order } from './client.mts';
import type { WorkerSettings } from './worker.mts';

type Settings = WorkerSettings | ClientSettings;
type Reply = { readonly number: number; readonly facts?: Facts; readonly error?: string };

export class VersionProcess {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, (reply: Reply) => void>();
  #orders = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (message) => {
      const { number } = Object(message) as Reply;
      this.#open.get(number)?.(message as Reply);
    });
    child.once('exit', () => {
      for (const [number, reply] of this.#open) reply({ number, error: 'its process ended' });
    });
  }

  /** Resolves when the process is ready. `name` is also the name of its log. */
  static async start(
    kind: 'worker' | 'client',
    { folder, name }: { readonly folder: string; readonly name: string },
    settings: Settings,
  ): Promise<VersionProcess> {
    const script = join(folder, 'upgrades', `${kind}.mts`);
    const child = fork(script, [JSON.stringify(settings)], { silent: true });
    const log = join(folder, `${name}.log`);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => appendFileSync(log, chunk));
    const ended = once(child, 'exit').then(() => {
      throw new Error(`a ${kind} did not start: read ${log}`);
    });
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
    return new VersionProcess(child);
  }

  async ask(order: Order): Promise<Facts> {
    this.#orders += 1;
    const number = this.#orders;
    const replied = new Promise<Reply>((resolve) => this.#open.set(number, resolve));
    this.#child.send({ number, order });
    const { facts, error } = await replied;
    this.#open.delete(number);
    if (facts === undefined) throw new Error(error);
    return facts;
  }

  /** Resolves when the worker has begun to shut down. */
  async shutDown(): Promise<void> {
    const told = once(this.#child, 'message');
    this.#child.kill('SIGTERM');
    await told;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async ended(): Promise<void> {
    if (this.isRunning) await once(this.#child, 'exit');
  }
}
