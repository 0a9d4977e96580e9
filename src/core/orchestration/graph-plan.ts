/*
 * Plans tasks that depend on each other. It does not know workflows, nor how many tasks run at a time.
 *
 * 1. A task becomes ready when the last task it needs is done. Every attempt starts with the session of that moment.
 * 2. Deltas are merged in the order in which tasks complete.
 * 3. If a task fails for good, the tasks that need it do not start. The others still run, and then the graph fails.
 * 4. There is an outcome as soon as no task is ready and no task is open, never before.
 */

import type { GraphConfig } from '../../protocol/activities';
import { type ErrorCode, LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base';
import type { ChildResult, RunInput } from '../../protocol/run';
import {
  aList,
  anObject,
  anything,
  listOf,
  number,
  type Shape,
  stored,
  text,
} from '../../protocol/shapes';
import { noTotals, RunningTotals, type Totals } from './child-results';
import { fitList } from './fit-list';
import {
  graphFailed,
  type PlannedTask,
  graphTasks,
  type GraphTasks,
  sinksOf,
  taskFailure,
  type TaskFailure,
} from './graph-tasks';
import type { ChildFailure, Plan, PlanOutcome, PlanResult, PlanStart, PlannedChild } from './plan';
import { PlannedChildren } from './planned-children';
import { SessionLog, type StoredSessionLog } from './session-log';
import { readPlan, storePlan } from './stored-plan';
import { taskInput, type TaskResult, TaskResults } from './task-results';

const taskRunShape = stored({ attempt: number, sessionAt: number });

/** A task that is ready or open: its attempt, and the position of the session that it starts with. */
type TaskRun = Shape<typeof taskRunShape>;

const shape = stored(
  {
    input: anything<RunInput['input']>(),
    sessions: anObject<StoredSessionLog>(),
    done: aList<string>(),
    failed: aList<string>(),
    ready: listOf(stored({ task: text, ...taskRunShape.properties })),
    /** The results that a task or the graph's own result still needs. */
    results: anObject<{ readonly [task: string]: TaskResult }>(),
    totals: anObject<Totals>(),
  },
  {
    firstFailure: anything<TaskFailure>(),
    /** The reply of the last sink. */
    finalResponse: anything<PlanResult['finalResponse']>(),
    outcome: anything<PlanOutcome>(),
  },
);

export type GraphState = Shape<typeof shape>;

const finalCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'CircularAgentCall',
  'DisallowedAgentCall',
  'DepthExceeded',
  'BudgetExceeded',
  'RunCancelled',
  'InvalidInput',
]);

export class GraphPlan implements Plan {
  readonly cancelsRest = false;
  readonly #id: string;
  readonly #tasks: GraphTasks;
  readonly #sinks: readonly string[];
  readonly #input: RunInput['input'];
  readonly #children = new PlannedChildren();
  readonly #progress: GraphProgress;
  readonly #sessions: SessionLog;
  readonly #results: TaskResults;
  readonly #totals: RunningTotals;
  /** The tasks that are ready or open. */
  readonly #runs = new Map<string, TaskRun>();
  #firstFailure: TaskFailure | undefined;
  #finalResponse: PlanResult['finalResponse'] | undefined;
  #outcome: PlanOutcome | undefined;

  private constructor(config: GraphConfig, state: Omit<GraphState, 'ready'>) {
    this.#id = config.id;
    this.#tasks = graphTasks(config);
    this.#sinks = sinksOf(this.#tasks);
    this.#input = state.input;
    this.#progress = new GraphProgress(this.#tasks);
    for (const task of state.done) this.#progress.complete(task);
    for (const task of state.failed) this.#progress.fail(task);
    this.#sessions = new SessionLog(state.sessions);
    this.#results = new TaskResults(state.results);
    this.#totals = new RunningTotals(state.totals);
    this.#firstFailure = state.firstFailure;
    this.#finalResponse = state.finalResponse;
    this.#outcome = state.outcome;
  }

  static start(config: GraphConfig, { input, session }: PlanStart): GraphPlan {
    const nothing = { done: [], failed: [], results: {}, totals: noTotals };
    const plan = new GraphPlan(config, { ...nothing, input, sessions: { session, deltas: [] } });
    plan.#children.offer(plan.#firstChildren());
    plan.#decideOutcome();
    return plan;
  }

  static restore(config: GraphConfig, json: unknown): GraphPlan {
    const { ready, ...state } = readPlan<GraphState>('graph', json, shape);
    const plan = new GraphPlan(config, state);
    const sessions = plan.#sessions.sessionsAt(new Set(ready.map(({ sessionAt }) => sessionAt)));
    const children = ready.map(({ task, ...run }) =>
      plan.#prepare(plan.#taskOf(task), run, sessions.get(run.sessionAt) ?? {}),
    );
    plan.#children.offer(children);
    return plan;
  }

  get ready(): readonly PlannedChild[] {
    return this.#children.ready;
  }

  get toStart(): number {
    return this.#children.readyCount;
  }

  get outcome(): PlanOutcome | undefined {
    return this.#outcome;
  }

  get session(): JsonObject {
    return this.#sessions.session;
  }

  take(key: string): void {
    this.#children.take(key);
  }

  completed(key: string, result: ChildResult): void {
    const { element } = this.#children.close(key);
    this.#runs.delete(element);
    this.#sessions.merge(result.delta);
    this.#totals.add(element, result);
    this.#results.add(element, result.finalResponse);
    if (element === this.#sinks.at(-1)) this.#finalResponse = result.finalResponse;
    this.#children.offer(this.#nextChildren(this.#progress.complete(element)));
    this.#decideOutcome();
  }

  failed(key: string, failure: ChildFailure): void {
    const child = this.#children.close(key);
    const task = this.#taskOf(child.element);
    const { attempt, sessionAt } = this.#runOf(task.id);
    if (attempt <= task.maxRetries && mayRetry(failure)) {
      this.#runs.set(task.id, { attempt: attempt + 1, sessionAt });
      this.#children.offer([{ ...child, key: this.#keyOf(task.id, attempt + 1) }]);
      return;
    }
    this.#giveUp(task.id, failure);
    this.#decideOutcome();
  }

  shorten(maxBytes: number): void {
    this.#results.shorten(this.#wantedResults(), maxBytes);
  }

  toJSON(): JsonObject {
    this.#children.refuseOpen();
    const ready = this.ready.map(({ element }) => ({ task: element, ...this.#runOf(element) }));
    const from = Math.min(this.#sessions.position, ...ready.map(({ sessionAt }) => sessionAt));
    const state: GraphState = {
      input: this.#input,
      sessions: this.#sessions.storedFrom(from),
      done: this.#progress.tasksThat('done'),
      failed: this.#progress.tasksThat('failed'),
      ready: ready.map((run) => ({ ...run, sessionAt: run.sessionAt - from })),
      results: this.#results.pick(this.#wantedResults()),
      totals: this.#totals.toJSON(),
      ...(this.#firstFailure === undefined ? {} : { firstFailure: this.#firstFailure }),
      ...(this.#finalResponse === undefined ? {} : { finalResponse: this.#finalResponse }),
      ...(this.#outcome === undefined ? {} : { outcome: this.#outcome }),
    };
    return storePlan('graph', state);
  }

  /** Throws at once if a prompt lacks a value, because no later result can bring that value. */
  #firstChildren(): readonly PlannedChild[] {
    return this.#progress.tasksThat('startable').map((id) => {
      try {
        return this.#prepare(this.#taskOf(id), { attempt: 1, sessionAt: 0 }, this.session);
      } catch (error) {
        if (!LonghaulError.is(error)) throw error;
        const message = `task '${id}' of '${this.#id}' cannot start: ${error.message}`;
        throw new LonghaulError(error.code, message, { details: error.details });
      }
    });
  }

  #nextChildren(tasks: readonly string[]): readonly PlannedChild[] {
    const run = { attempt: 1, sessionAt: this.#sessions.position };
    return tasks.flatMap((id) => {
      try {
        return [this.#prepare(this.#taskOf(id), run, this.session)];
      } catch (error) {
        if (!LonghaulError.is(error)) throw error;
        this.#giveUp(id, error);
        return [];
      }
    });
  }

  #prepare(task: PlannedTask, run: TaskRun, session: JsonObject): PlannedChild {
    const input = taskInput(task, { input: this.#input, session, results: this.#results });
    this.#runs.set(task.id, run);
    return {
      ...task.place,
      key: this.#keyOf(task.id, run.attempt),
      element: task.id,
      input,
      session,
    };
  }

  #giveUp(task: string, failure: ChildFailure): void {
    this.#runs.delete(task);
    this.#progress.fail(task);
    this.#firstFailure ??= taskFailure(task, failure);
  }

  #decideOutcome(): void {
    if (this.#children.readyCount > 0 || this.#children.openCount > 0) return;
    if (this.#firstFailure !== undefined) {
      const progress = this.#progress;
      this.#outcome = graphFailed(this.#firstFailure, {
        failed: progress.tasksThat('failed'),
        ran: progress.tasksThat('done'),
        notStarted: progress.tasksThat('waiting', 'skipped'),
      });
    } else if (this.#finalResponse !== undefined && this.#progress.waiting === 0) {
      this.#outcome = this.#complete(this.#finalResponse);
    } else {
      const waiting = fitList(this.#progress.tasksThat('waiting'), ', ', 500);
      const message = `Tasks of '${this.#id}' wait for each other: ${waiting}`;
      this.#outcome = { kind: 'failed', code: 'InternalError', message };
    }
  }

  #complete(finalResponse: PlanResult['finalResponse']): PlanOutcome {
    const texts = this.#sinks.map((id) => [id, this.#results.textOf(id)] as const);
    const combinedText = JSON.stringify(Object.fromEntries(texts));
    return {
      kind: 'complete',
      result: {
        finalResponse,
        completionReason: 'all tasks completed',
        ...(texts.length > 1 ? { combinedText } : {}),
        ...this.#totals.fields,
      },
    };
  }

  /** The colon makes the key of a retry different from every task id: no id contains a colon. */
  #keyOf(task: string, attempt: number): string {
    if (attempt === 1) return task;
    const key = `${task}.${attempt}`;
    return this.#tasks.has(key) ? `${task}:${attempt}` : key;
  }

  #taskOf(id: string): PlannedTask {
    const task = this.#tasks.get(id);
    if (task === undefined)
      throw new LonghaulError('InternalError', `graph '${this.#id}' has no task '${id}'`);
    return task;
  }

  #runOf(task: string): TaskRun {
    return this.#runs.get(task) ?? { attempt: 1, sessionAt: 0 };
  }

  /** The tasks with results that are still needed, for tasks that may start or for the graph's own result. */
  #wantedResults(): ReadonlySet<string> {
    const open = this.#progress.tasksThat('waiting', 'startable');
    return new Set([...this.#sinks, ...open.flatMap((id) => this.#taskOf(id).needs)]);
  }
}

function mayRetry({ code }: ChildFailure): boolean {
  return code === undefined || !finalCodes.has(code);
}

type TaskProgress = 'waiting' | 'startable' | 'done' | 'failed' | 'skipped';

class GraphProgress {
  readonly #tasks: GraphTasks;
  readonly #progress = new Map<string, TaskProgress>();
  /** For each task, the number of tasks that it still needs. */
  readonly #missing = new Map<string, number>();
  #waiting = 0;

  constructor(tasks: GraphTasks) {
    this.#tasks = tasks;
    for (const { id, needs } of tasks.values()) {
      this.#missing.set(id, needs.length);
      this.#progress.set(id, needs.length === 0 ? 'startable' : 'waiting');
      if (needs.length > 0) this.#waiting += 1;
    }
  }

  /** The number of tasks that wait for others and may still start. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Marks a task as completed. Returns the tasks that may start now, in declaration order. */
  complete(id: string): readonly string[] {
    this.#set(id, 'done');
    const needing = this.#tasks.get(id)?.neededBy ?? [];
    return needing.filter((other) => {
      const missing = (this.#missing.get(other) ?? 0) - 1;
      this.#missing.set(other, missing);
      if (missing > 0 || this.#progress.get(other) !== 'waiting') return false;
      this.#set(other, 'startable');
      return true;
    });
  }

  fail(id: string): void {
    this.#set(id, 'failed');
    const affected = [id];
    for (let next = affected.pop(); next !== undefined; next = affected.pop()) {
      for (const other of this.#tasks.get(next)?.neededBy ?? []) {
        if (this.#progress.get(other) !== 'waiting') continue;
        this.#set(other, 'skipped');
        affected.push(other);
      }
    }
  }

  /** The tasks with this progress, in declaration order. */
  tasksThat(...progress: readonly TaskProgress[]): readonly string[] {
    return [...this.#progress].flatMap(([id, now]) => (progress.includes(now) ? [id] : []));
  }

  #set(id: string, progress: TaskProgress): void {
    if (this.#progress.get(id) === 'waiting') this.#waiting -= 1;
    this.#progress.set(id, progress);
  }
}
