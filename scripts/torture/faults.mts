// What goes wrong in a round, and when: each fault waits for its moment, counted in moments, not in seconds.

import type { Arrival, Verdict } from './hub.mts';
import type { ModelDouble, ModelFault } from './model-double.mts';
import {
  boundaryKinds,
  boundaryMoments,
  type ActivityName,
  type Boundary,
  type Fault,
  type FaultKind,
  type Moment,
} from './plan.mts';
import type { Place, RoundServer } from './engine.mts';

/** A fault whose moment does not come within so many others takes the next one of any kind. */
const patience = 150;
/** The server's own time limits: what is due to a fault may come so long after it. */
const aftermathMs = 45_000;

export type Victims = {
  readonly server: RoundServer;
  readonly places: readonly Place[];
  readonly model: ModelDouble;
  /** Takes a run back to an earlier point; whether there was one to take back. */
  reset(how: ResetKind, draw: number): Promise<boolean>;
  /** The database is killed and comes back on its data; whether it can be. */
  killStore(downMs: number): boolean;
  /** The database's connections are cut or hang for so long. */
  cutStore(how: 'down' | 'slow', ms: number): void;
  tell(line: string): void;
};

export type ResetKind = 'raw reset' | 'safe reset';

/** What happened to a worker at the begin or the end of an activity. */
export type Met = Pick<Boundary, 'activity' | 'moment' | 'kind'>;

type At = {
  readonly pid: number;
  readonly moment: Moment;
  readonly activity: ActivityName | undefined;
};

const isBoundary = (kind: FaultKind, moment: Moment): boolean =>
  (boundaryKinds as readonly FaultKind[]).includes(kind) &&
  (boundaryMoments as readonly Moment[]).includes(moment);

/** Whether it could happen. The place is that of the worker which is at the moment. */
type Strike = (fault: Fault, place: Place | undefined) => boolean | Promise<boolean>;

type StoreFault = {
  readonly kind: 'store down' | 'store slow' | 'store lost';
  readonly ms: number;
};

type FaultPlan = { readonly faults: readonly Fault[]; readonly boundaries: readonly Boundary[] };
type Waiting = Boundary & { left: number };

export class Faults {
  readonly #queue: Fault[];
  readonly #victims: Victims;
  readonly #boundaries: Waiting[];
  readonly #storeFaults: StoreFault[] = [];
  #passed = 0;
  /** The newest that workers have. */
  #build = 0;
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
    'raw reset': ({ draw }) => this.#victims.reset('raw reset', draw),
    'safe reset': ({ draw }) => this.#victims.reset('safe reset', draw),
    'model down': (fault) => this.#disturbModel('model down', fault),
    'model slow': (fault) => this.#disturbModel('model slow', fault),
    // A call whose answers are garbage three times is given up.
    'model cut': (fault) => this.#disturbModel('model cut', { ...fault, calls: 1 }),
    'store down': (fault) => this.#disturbStore('store down', fault),
    'store slow': (fault) => this.#disturbStore('store slow', fault),
    'store lost': (fault) => this.#disturbStore('store lost', fault),
    'new build': (fault) => this.#deploy(fault),
    'kill store': ({ ms }) => this.#victims.killStore(Math.min(ms, 3_000)),
  };
  /** How often each kind happened, and at which moment. */
  readonly happened: { readonly kind: FaultKind; readonly moment: string }[] = [];

  /** The faults that workers met at the begin or the end of an activity, planned there or by chance. */
  readonly met: Met[] = [];

  constructor({ faults, boundaries }: FaultPlan, victims: Victims) {
    this.#queue = [...faults];
    this.#boundaries = boundaries.map((boundary) => ({ ...boundary, left: boundary.skip }));
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
    this.#boundaries.length = 0;
    this.#storeFaults.length = 0;
    this.#victims.model.calm();
  }

  /** Called at each moment of a worker, which waits for the verdict. */
  async arrive({ pid, moment, activity }: Arrival): Promise<Verdict> {
    this.#passed += 1;
    const [next] = this.#queue;
    const boundary = this.#dueBoundary(moment, activity);
    if (boundary !== undefined) {
      await this.#apply({ ...boundary, gap: 0, calls: 1, draw: 0 }, { pid, moment, activity });
    } else if (next !== undefined && this.#isTime(next, moment)) {
      this.#queue.shift();
      this.#passed = 0;
      await this.#apply(next, { pid, moment, activity });
    }
    return this.#storeResult(moment);
  }

  #dueBoundary(moment: string, activity: ActivityName | undefined): Boundary | undefined {
    const waiting = this.#boundaries.filter(
      (one) => one.activity === activity && one.moment === moment,
    );
    for (const one of waiting) one.left -= 1;
    const due = waiting.find(({ left }) => left < 0);
    if (due !== undefined) this.#boundaries.splice(this.#boundaries.indexOf(due), 1);
    return due;
  }

  #isTime({ gap, moment }: Fault, now: string): boolean {
    if (this.#passed < gap) return false;
    return moment === now || this.#passed > gap + patience;
  }

  async #apply(fault: Fault, at: At): Promise<void> {
    const { kind, ms, calls } = fault;
    const place = this.#victims.places.find(({ pid }) => pid === at.pid);
    if (!(await this.#strikes[kind](fault, place))) return;
    this.happened.push({ kind, moment: at.moment });
    if (at.activity !== undefined && isBoundary(kind, at.moment))
      this.met.push({ activity: at.activity, ...{ kind, moment: at.moment } } as Met);
    const toCome = `${this.#queue.length + this.#boundaries.length} faults to come`;
    this.#victims.tell(`${kind} (${ms} ms) at '${at.moment}' ${at.activity ?? ''}; ${toCome}`);
    const lasts = kind.startsWith('model') || kind.startsWith('store') ? ms * calls : ms;
    this.#quietSince = Math.max(this.#quietSince, Date.now() + lasts);
  }

  /**
   * One worker gets the next build, and the others later. Half of the time, it is rolled back in between. In the end all have the newest,
   * also if several of these go on at a time.
   */
  #deploy({ ms, draw }: Fault): boolean {
    const { places } = this.#victims;
    this.#build += 1;
    const build = this.#build;
    const first = places[draw % places.length];
    if (first?.deploy(build) !== true) return false;
    const isRolledBack = draw % 4 < 2;
    if (isRolledBack) {
      setTimeout(() => first.deploy(build - 1), ms);
      setTimeout(() => first.deploy(build), 2 * ms);
    }
    setTimeout(
      () => places.forEach((place) => place.deploy(this.#build)),
      ms * (isRolledBack ? 3 : 1),
    );
    return true;
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
  #storeResult(moment: string): Verdict {
    const [fault] = this.#storeFaults;
    const isLost = fault?.kind === 'store lost';
    if (fault === undefined || moment !== (isLost ? 'save made' : 'save due')) return {};
    this.#storeFaults.shift();
    return fault.kind === 'store slow' ? { waitsMs: fault.ms } : { fails: true };
  }
}
