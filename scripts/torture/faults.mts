// What goes wrong in a round, and when: each fault waits for its moment, counted in moments, not in seconds.

import type { Arrival, Verdict } from './hub.mts';
import type { ModelDouble, ModelFault } from './model-double.mts';
import type { Fault, FaultKind } from './plan.mts';
import type { Server } from './server.mts';
import type { WorkerPlace } from './workers.mts';

/** A fault whose moment does not come within so many others takes the next one of any kind. */
const patience = 150;
/** The server's own time limits: what is due to a fault may come so long after it. */
const aftermathMs = 45_000;

export type Victims = {
  readonly server: Server;
  readonly places: readonly WorkerPlace[];
  readonly model: ModelDouble;
  /** Takes a run back to an earlier point; whether there was one to take back. */
  reset(draw: number): Promise<boolean>;
  /** The database's connections are cut or hang for so long. */
  cutStore(how: 'down' | 'slow', ms: number): void;
  tell(line: string): void;
};

/** Whether it could happen. The place is that of the worker which is at the moment. */
type Strike = (fault: Fault, place: WorkerPlace | undefined) => boolean | Promise<boolean>;

type StoreFault = {
  readonly kind: 'store down' | 'store slow' | 'store lost';
  readonly ms: number;
};

export class Faults {
  readonly #queue: Fault[];
  readonly #victims: Victims;
  readonly #storeFaults: StoreFault[] = [];
  #passed = 0;
  #quietSince = 0;
  readonly #strikes: Readonly<Record<FaultKind, Strike>> = {
    kill: ({ ms }, place) => place?.kill(ms > 3_000 ? 0 : ms) !== undefined,
    'kill all': ({ ms }) => {
      for (const place of this.#victims.places) place.kill(Math.min(ms, 3_000));
      return true;
    },
    'shut down': (_, place) => place?.shutDown(0) !== undefined,
    freeze: ({ ms }, place) => place?.freeze(ms) !== undefined,
    'kill server': ({ ms }) => this.#victims.server.kill(Math.min(ms, 3_000)),
    'freeze server': ({ ms }) => this.#victims.server.freeze(Math.min(ms, 8_000)),
    reset: ({ draw }) => this.#victims.reset(draw),
    'model down': (fault) => this.#disturbModel('model down', fault),
    'model slow': (fault) => this.#disturbModel('model slow', fault),
    // A call whose answers are garbage three times is given up.
    'model cut': (fault) => this.#disturbModel('model cut', { ...fault, calls: 1 }),
    'store down': (fault) => this.#disturbStore('store down', fault),
    'store slow': (fault) => this.#disturbStore('store slow', fault),
    'store lost': (fault) => this.#disturbStore('store lost', fault),
  };
  /** How often each kind happened, and at which moment. */
  readonly happened: { readonly kind: FaultKind; readonly moment: string }[] = [];

  constructor(faults: readonly Fault[], victims: Victims) {
    this.#queue = [...faults];
    this.#victims = victims;
  }

  get isOver(): boolean {
    return this.#queue.length === 0;
  }

  /** Whether something is down now, or was until a moment ago. */
  get isDisturbed(): boolean {
    const { server, places } = this.#victims;
    if (server.isDown || places.some(({ isFrozen }) => isFrozen)) return true;
    return Date.now() < this.#quietSince + aftermathMs;
  }

  /** Nothing goes wrong any more. */
  end(): void {
    this.#queue.length = 0;
    this.#storeFaults.length = 0;
    this.#victims.model.calm();
  }

  /** Called at each moment of a worker, which waits for the verdict. */
  async arrive({ pid, moment }: Arrival): Promise<Verdict> {
    this.#passed += 1;
    const [next] = this.#queue;
    if (next !== undefined && this.#isTime(next, moment)) {
      this.#queue.shift();
      this.#passed = 0;
      await this.#apply(next, { pid, moment });
    }
    return this.#storeVerdict(moment);
  }

  #isTime({ gap, moment }: Fault, now: string): boolean {
    if (this.#passed < gap) return false;
    return moment === now || this.#passed > gap + patience;
  }

  async #apply(fault: Fault, at: { readonly pid: number; readonly moment: string }): Promise<void> {
    const { kind, ms, calls } = fault;
    const place = this.#victims.places.find(({ pid }) => pid === at.pid);
    if (!(await this.#strikes[kind](fault, place))) return;
    this.happened.push({ kind, moment: at.moment });
    const toCome = `${this.#queue.length} faults to come`;
    this.#victims.tell(`${kind} (${ms} ms) at '${at.moment}'; ${toCome}`);
    const lasts = kind.startsWith('model') || kind.startsWith('store') ? ms * calls : ms;
    this.#quietSince = Math.max(this.#quietSince, Date.now() + lasts);
  }

  #disturbModel(kind: ModelFault['kind'], { ms, draw, calls }: Fault): boolean {
    this.#victims.model.disturb({ kind, ms, draw }, calls);
    return true;
  }

  #disturbStore(kind: StoreFault['kind'], { ms, calls }: Fault): boolean {
    for (let left = calls; left > 0; left -= 1) this.#storeFaults.push({ kind, ms });
    if (kind === 'store down') this.#victims.cutStore('down', ms);
    if (kind === 'store slow') this.#victims.cutStore('slow', ms);
    return true;
  }

  /** A write that fails, comes late, or is made and not confirmed. */
  #storeVerdict(moment: string): Verdict {
    const [fault] = this.#storeFaults;
    const isLost = fault?.kind === 'store lost';
    if (fault === undefined || moment !== (isLost ? 'save made' : 'save due')) return {};
    this.#storeFaults.shift();
    return fault.kind === 'store slow' ? { waitsMs: fault.ms } : { fails: true };
  }
}
