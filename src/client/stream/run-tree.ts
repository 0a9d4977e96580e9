// A run and, with `tree`, all runs below it: looks at those that may have something new, and tells it in an order that makes sense. The
// events of a child come before the result that its caller got from it.

import { type ChildView, hasCode, type LiveEvent, timeouts } from '../../protocol';
import type { StreamPlace } from '../../core/stream/events';
import { limited } from '../server/calls';
import { isPassing } from '../server/failures';
import { hasClosed } from '../read/run-view';
import type { End } from './run-now';
import { FollowedRun, isUnanswered, type Look } from './followed-run';
import { endOf } from './run-end';
import type { RunSource } from './run-source';

export type TreeOptions = {
  readonly sourceOf: (workflowId: string) => RunSource;
  readonly tree: boolean;
};

/** What a look at a run found. */
export type Found = {
  readonly run: FollowedRun;
  readonly look: Look;
  /** Only if the run is closed. */
  readonly end: End | undefined;
};

type Round = {
  readonly found: Map<string, Found>;
  readonly looking: Map<FollowedRun, Promise<void>>;
};

/** Runs to look at, at once. */
const atATime = 10;

export class RunTree {
  readonly root: FollowedRun;
  readonly #options: TreeOptions;
  readonly #limited = limited(atATime);
  readonly #known = new Map<string, FollowedRun>();
  /** The runs whose log was read, in the order in which they were found. */
  readonly told = new Map<string, FollowedRun>();
  /** Ids of runs that have something new, or will have it in a moment. */
  readonly #due = new Set<string>();
  #allAt = 0;
  #orders = 0;

  constructor(place: StreamPlace, options: TreeOptions) {
    this.#options = options;
    this.root = this.#add(place, { isAgent: true, isRoot: true });
  }

  get(workflowId: string): FollowedRun | undefined {
    return this.#known.get(workflowId);
  }

  /** The runs that may have more to tell. */
  get open(): readonly FollowedRun[] {
    return [...this.#known.values()].filter((run) => !run.hasEnded);
  }

  /** Takes an event of a worker. Returns its run, if it is one of these. */
  hear(event: LiveEvent): FollowedRun | undefined {
    const { kind, root, workflowId, path, agent } = event;
    let run = this.#known.get(workflowId);
    if (run === undefined && this.#options.tree && kind === 'begin')
      run = this.#add({ root, workflowId, path, agent }, { isAgent: true, isRoot: false });
    if (run?.hasEnded === false) run.hear(event, this.#order);
    return run;
  }

  /** The next round looks at this run. */
  wake(workflowId: string): void {
    this.#due.add(workflowId);
  }

  /** Looks at the runs that are due, or at all of them, and at all that is new below them. Then tells what it found. */
  async round(): Promise<ReadonlyMap<string, Found>> {
    const due = this.#dueNow();
    const runs = [...this.#known.values()].filter((run) => due?.has(run.workflowId) ?? true);
    const found = new Map<string, Found>();
    const round = { found, looking: new Map<FollowedRun, Promise<void>>() };
    await Promise.all(runs.map((run) => this.#lookOnce(run, round)));
    const untold = new Map(found);
    this.#tell(this.root, untold);
    for (const { run } of found.values()) {
      this.#tell(run, untold);
      this.#due.delete(run.workflowId);
    }
    return found;
  }

  /** Undefined: all runs. In a large tree, those that will have something new come first. */
  #dueNow(): ReadonlySet<string> | undefined {
    const now = Date.now();
    const due = new Set(this.#due);
    if (due.size > 0 && now - this.#allAt < timeouts.eventsPause) return due;
    this.#allAt = now;
    this.#due.clear();
    return undefined;
  }

  async #lookOnce(run: FollowedRun, round: Round): Promise<void> {
    const looking = round.looking.get(run) ?? this.#lookAt(run, round);
    round.looking.set(run, looking);
    await looking;
  }

  async #lookAt(run: FollowedRun, round: Round): Promise<void> {
    if (run.hasEnded) return;
    const found = await this.#limited(() => this.#find(run));
    if (found === undefined) return;
    round.found.set(run.workflowId, found);
    const views = found.look.children ?? [];
    await Promise.all(views.map((view) => this.#lookAtChild(run, view, round)));
  }

  /** A child that is closed has told its caller all, but this round may have looked at it before that. */
  async #lookAtChild(caller: FollowedRun, view: ChildView, round: Round): Promise<void> {
    const isNew = !this.#known.has(view.workflowId);
    const run = this.#childOf(caller, view);
    if (run.hasEnded || (!isNew && view.status === 'open')) return;
    await round.looking.get(run);
    if (round.found.get(run.workflowId)?.end === undefined) await this.#lookAt(run, round);
  }

  /** Undefined if there is nothing new, or nothing that concerns the others. */
  async #find(run: FollowedRun): Promise<Found | undefined> {
    try {
      const look = await run.look();
      if (look === undefined) return undefined;
      if (!hasClosed(look.execution)) return { run, look, end: undefined };
      return { run, look, end: await endOf(this.#options.sourceOf(run.workflowId), run.place) };
    } catch (error) {
      const concernsAll = isUnanswered(error) || isPassing(error) || hasCode(error, 'StreamCut');
      // A child that has not started yet, or was deleted, or whose code is broken.
      if (run !== this.root && !concernsAll) return undefined;
      throw error;
    }
  }

  #childOf(caller: FollowedRun, { workflowId, path, runner, kind }: ChildView): FollowedRun {
    const { root } = this.root.place;
    const place = { root, workflowId, path, agent: runner };
    const isAgent = kind === undefined;
    const run = this.#known.get(workflowId) ?? this.#add(place, { isAgent, isRoot: false });
    caller.adopt(run);
    return run;
  }

  #add(place: StreamPlace, kind: { isAgent: boolean; isRoot: boolean }): FollowedRun {
    const { sourceOf, tree } = this.#options;
    const run = new FollowedRun(sourceOf(place.workflowId), { place, ...kind, tree });
    this.#known.set(place.workflowId, run);
    return run;
  }

  /** The events of a child come before the result that its caller got from it. */
  #tell(run: FollowedRun, untold: Map<string, Found>): void {
    const found = untold.get(run.workflowId);
    untold.delete(run.workflowId);
    if (found !== undefined) {
      const before = (turn: number, index: number): void => {
        const child = childOfCall(run, turn, index);
        if (child !== undefined) this.#tell(child, untold);
      };
      run.tell(found.look, this.#order, before);
      this.told.set(run.workflowId, run);
    }
    for (const child of run.children.values()) this.#tell(child, untold);
    if (found?.end === undefined) return;
    run.ended(this.#order, run === this.root ? undefined : found.end);
  }

  readonly #order = (): number => {
    this.#orders += 1;
    return this.#orders;
  };
}

/** The run that a call of this run started. The ids of children say so, unless they are too long. */
function childOfCall(
  { workflowId: caller, children }: FollowedRun,
  turn: number,
  index: number,
): FollowedRun | undefined {
  const call = `.${turn}.${index}~`;
  return [...children.values()].find(({ workflowId }) =>
    workflowId.slice(caller.length, workflowId.lastIndexOf('~') + 1).endsWith(call),
  );
}
