// The resets of a round: which runs were taken back, and which are just now.

import type { Longhaul } from 'longhaul/client';
import { errorText } from './client.mts';
import type { ResetKind } from './faults.mts';
import { chooseRun, resetRaw, resetSafely } from './reset.mts';
import { openOf, type Open } from './stuck.mts';

export type ResetsOptions = {
  /** Trees and threads that have not ended. */
  readonly open: () => readonly string[];
  readonly onDone: (owner: string, what: string) => void;
  readonly report: (wrong: string) => void;
};

export class Resets {
  readonly #longhaul: Longhaul;
  readonly #options: ResetsOptions;
  /** Trees and threads that were taken back, in whole or a run of theirs. */
  readonly #touched = new Set<string>();
  /** Of those, the ones that may have left runs behind. */
  readonly #raw = new Set<string>();
  /** Longhaul's own that are under way, and whether they were done. */
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

  /** Whether the one that is under way was done, once it has ended. */
  async underWay(owner: string): Promise<boolean> {
    return (await this.#underWay.get(owner)) ?? false;
  }

  touched(owner: string): boolean {
    return this.#touched.has(owner);
  }

  wasRaw(owner: string): boolean {
    return this.#raw.has(owner);
  }

  /** Of a tree, of a run below it, or of the run of a turn; of one owner there is one at a time. */
  async one(how: ResetKind, draw: number): Promise<boolean> {
    const owners = this.#options.open().filter((owner) => !this.#underWay.has(owner));
    const owner = owners[draw % Math.max(1, owners.length)];
    if (owner === undefined) return false;
    const open = await openOf(this.#longhaul, owner).catch(() => []);
    // Below another run only Longhaul's own reset is safe.
    const isTopmost = ({ workflowId }: Open): boolean =>
      how === 'safe reset' || workflowId === owner || owner.startsWith('c');
    const run = chooseRun(open.filter(isTopmost), Math.floor(draw / 10));
    if (run === undefined) return false;
    if (how === 'safe reset') {
      this.#begin(owner, run, draw);
      return true;
    }
    if (!(await resetRaw(this.#longhaul, run.workflowId, draw))) return false;
    this.#raw.add(owner);
    this.#wasDone(owner, run, how);
    return true;
  }

  /** It waits for calls that are under way, of which one may wait for this fault: so the fault does not wait for it. */
  #begin(owner: string, run: Open, draw: number): void {
    const { report } = this.#options;
    const work = resetSafely(this.#longhaul, { ...run, draw, report })
      .catch((error: unknown) => {
        report(`${run.workflowId} could not be reset: ${errorText(error)}`);
        return false;
      })
      .then((isDone) => {
        this.#underWay.delete(owner);
        if (isDone) this.#wasDone(owner, run, 'safe reset');
        return isDone;
      });
    // One that is given up in the middle has ended calls, too.
    this.#touched.add(owner);
    this.#underWay.set(owner, work);
  }

  #wasDone(owner: string, { workflowId }: Open, how: ResetKind): void {
    const whose = workflowId === owner ? 'a run' : 'a run below another';
    this.done.push(`${how} of ${owner.startsWith('c') ? 'a turn' : whose}`);
    this.#touched.add(owner);
    this.#options.onDone(owner, `${workflowId}: ${how}`);
  }
}
