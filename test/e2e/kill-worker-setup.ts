import { randomUUID } from 'node:crypto';
import { connect, type Longhaul } from '../../src/client';
import { limited } from '../../src/client/server/calls';
import { eventually } from '../workflow/eventually';
import { builtPackage } from './built-package';
import { Gate } from './kill-worker-gate';
import type { WorkerSettings } from './kill-worker-process.mts';
import { WorkerProcess } from './kill-worker-child';

type KillSettings = Pick<
  WorkerSettings,
  'diesAfterEveryStep' | 'diesAfter' | 'diesBefore' | 'stores' | 'results'
>;

/** A client on a task queue of its own, and workers for it. */
export type Cluster = {
  readonly longhaul: Longhaul;
  startWorker(settings?: KillSettings): Promise<WorkerProcess>;
};

/** What the experiments share: the gate, the built package, and the end of all that was started. */
export class KillSetup {
  readonly gate = new Gate();
  readonly #cleanups: (() => Promise<unknown>)[] = [];
  /** More at once than there are cores only slow each other down. */
  readonly #starting = limited(2);
  #gateAddress = '';
  #folder = '';

  async open(): Promise<void> {
    this.#gateAddress = await this.gate.open();
    this.#folder = await builtPackage();
  }

  async cluster(address: string): Promise<Cluster> {
    const taskQueue = `killed-${randomUUID()}`;
    const longhaul = await connect({ address, taskQueue });
    this.#cleanups.push(() => longhaul.close());
    const startWorker: Cluster['startWorker'] = async (settings = {}) => {
      const gate = this.#gateAddress;
      const worker = await this.#starting(() =>
        WorkerProcess.start(this.#folder, { address, taskQueue, gate, ...settings }),
      );
      this.#cleanups.push(() => worker.kill());
      return worker;
    };
    return { longhaul, startWorker };
  }

  /** Resolves when the step hangs in the gate. */
  async held(run: string, step: string): Promise<void> {
    await eventually(`${run} to hang in ${step}`, () => this.gate.isHeld(run, step));
  }

  onClose(cleanup: () => Promise<unknown>): void {
    this.#cleanups.push(cleanup);
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
    await this.gate.close();
  }
}
