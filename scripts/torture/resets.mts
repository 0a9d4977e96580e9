// The resets of a round: which runs were taken back, and which are just now.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Longhaul } from 'longhaul/client';
import { askAgain, errorText } from './client.mts';
import type { ResetKind } from './faults.mts';
import { chooseRun, resetIfCancelled, resetRaw, resetSafely, tellToAskAgain } from './reset.mts';
import { openOf, type Open } from './stuck.mts';

export type ResetsOptions = {
  /** Trees and threads that have not ended. */
  readonly open: () => readonly string[];
  readonly onDone: (owner: string, what: string) => void;
  readonly report: (wrong: string) => void;
};

type Chosen = {
  readonly how: ResetKind;
  readonly draw: number;
  readonly isMeant?: (run: Open) => boolean;
};

/** A cancellation has reached the runs below by then. */
const patienceMs = 3_000;
const lookMs = 10;

export class Resets {
  readonly #longhaul: Longhaul;
  readonly #options: ResetsOptions;
  /** Trees and threads that were taken back, in whole or a run of theirs. */
  readonly #touched = new Set<string>();
  /** Of those, the ones that may have left runs behind. */
  readonly #raw = new Set<string>();
  /** Those that have come to what they come to. */
  readonly #settled = new Set<string>();
  /** Resets that are under way, and whether they were done. */
  readonly #underWay = new Map<string, Promise<boolean>>();
  /** Which were done. */
  readonly done: string[] = [];

  constructor(longhaul: Longhaul, options: ResetsOptions) {
    this.#longhaul = longhaul;
    this.#options = options;
  }

  get areUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  /**
   * It has ended, and is reset no more: a tree, a thread, or one turn of a thread, `ended`. False when a reset that was under way took it
   * back: then it goes on.
   */
  async settles(owner: string, ended = owner): Promise<boolean> {
    this.#settled.add(ended);
    const wasReset = (await this.#underWay.get(owner)) ?? false;
    if (wasReset) this.#settled.delete(ended);
    return !wasReset;
  }

  /** It may be reset again. */
  goesOn(owner: string): void {
    this.#settled.delete(owner);
  }

  touched(owner: string): boolean {
    return this.#touched.has(owner);
  }

  wasRaw(owner: string): boolean {
    return this.#raw.has(owner);
  }

  /** Of a tree, of a run below it, or of the run of a turn; of one owner there is one at a time. */
  async one(how: ResetKind, draw: number): Promise<boolean> {
    const owners = this.#options.open().filter((owner) => this.#mayBeReset(owner));
    const owner = owners[draw % Math.max(1, owners.length)];
    if (owner === undefined) return false;
    const work = this.#begin(owner, this.#reset(owner, { how, draw }));
    // Longhaul's own waits for calls that are under way, of which one may wait for this fault: so the fault does not wait for it.
    return how === 'safe reset' || (await work);
  }

  /** Of a run below the owner. */
  async below(owner: string, draw: number): Promise<void> {
    if (!this.#mayBeReset(owner)) return;
    await this.#begin(
      owner,
      this.#reset(owner, {
        how: 'safe reset',
        draw,
        isMeant: ({ workflowId }) => workflowId !== owner,
      }),
    );
  }

  /** The owner is being cancelled: an operator takes back the first run below it that is about to end for that. */
  async ofCancelled(owner: string, draw: number): Promise<void> {
    if (!this.#mayBeReset(owner)) return;
    await this.#begin(owner, this.#resetCancelled(owner, draw));
  }

  async #resetCancelled(owner: string, draw: number): Promise<boolean> {
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      const open = await openOf(this.#longhaul, owner).catch(() => []);
      for (const run of open.filter(({ workflowId }) => workflowId !== owner)) {
        if (!(await resetIfCancelled(this.#longhaul, run.workflowId, draw))) continue;
        this.#raw.add(owner);
        this.#wasDone(owner, run, 'raw reset');
        await askAgain(() => tellToAskAgain(this.#longhaul, run));
        return true;
      }
      await sleep(lookMs);
    }
    return false;
  }

  async #begin(owner: string, reset: Promise<boolean>): Promise<boolean> {
    const work = reset
      .catch((error: unknown) => {
        this.#options.report(`${owner} could not be reset: ${errorText(error)}`);
        return false;
      })
      .finally(() => this.#underWay.delete(owner));
    this.#underWay.set(owner, work);
    return await work;
  }

  #mayBeReset(owner: string): boolean {
    return !this.#underWay.has(owner) && !this.#settled.has(owner);
  }

  async #reset(owner: string, { how, draw, isMeant = () => true }: Chosen): Promise<boolean> {
    const all = await openOf(this.#longhaul, owner).catch(() => []);
    const open = all.filter((run) => !this.#settled.has(run.workflowId) && isMeant(run));
    // Below another run only Longhaul's own reset is safe.
    const isRoot = ({ workflowId }: Open): boolean =>
      how === 'safe reset' || workflowId === owner || owner.startsWith('c');
    const run = chooseRun(open.filter(isRoot), Math.floor(draw / 10));
    if (run === undefined) return false;
    if (how === 'raw reset') {
      if (!(await resetRaw(this.#longhaul, run.workflowId, draw))) return false;
      this.#raw.add(owner);
    } else {
      // One that is given up in the middle has ended calls, too.
      this.#touched.add(owner);
      const { report } = this.#options;
      if (!(await resetSafely(this.#longhaul, { ...run, draw, report }))) return false;
    }
    this.#wasDone(owner, run, how);
    return true;
  }

  #wasDone(owner: string, { workflowId }: Open, how: ResetKind): void {
    const whose = workflowId === owner ? 'a run' : 'a run below another';
    this.done.push(`${how} of ${owner.startsWith('c') ? 'a turn' : whose}`);
    this.#touched.add(owner);
    this.#options.onDone(owner, `${workflowId}: ${how}`);
  }
}
