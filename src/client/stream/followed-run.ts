// One run of a tree, as a stream follows it: what is new since the last look, its log, and its events.
//
// 1. A look asks the server whether history has grown. Only then it asks the worker: for the state, if the memo says that something is open,
//    and then for the log, so that the log has all that the state speaks of.
// 2. A look changes nothing. What it found counts when it is told, so a look that fails is made again.
// 3. A run keeps its log when it continues as new. After a reset it does not: then nothing here is right any more.

import type { WorkflowExecutionDescription } from '@temporalio/client';
import {
  type ChildView,
  hasCode,
  type LiveEvent,
  type LogEntry,
  LonghaulError,
  type RunState,
} from '../../protocol';
import type { StreamPlace, UnplacedEvent } from '../../core/stream/events';
import { RunProjection } from '../../core/stream/run-projection';
import { hasClosed, stateFromMemo } from '../read/run-view';
import type { End } from './run-now';
import type { RunSource } from './run-source';
import { type BufferedEvent, EventBuffer, isPiece } from './event-buffer';

/** What a look found. */
export type Look = {
  readonly execution: WorkflowExecutionDescription;
  readonly entries: readonly LogEntry[];
  /** Undefined if they were not asked for. */
  readonly children: readonly ChildView[] | undefined;
  /** Only of a root run that waits for an answer. */
  readonly state: RunState | undefined;
};

export type FollowedOptions = {
  readonly place: StreamPlace;
  /** An orchestration has no log. */
  readonly isAgent: boolean;
  readonly isRoot: boolean;
  readonly tree: boolean;
};

const mostWaits = 5;
const mostUnanswered = 3;

/** No worker answers for the run. */
export class NoAnswer extends Error {}

/** No worker answers, or none of the version of the run. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof NoAnswer || hasCode(error, 'NoWorker');
}

export class FollowedRun {
  readonly events = new EventBuffer();
  /** What was told of its log. A run that has just continued as new knows nothing of itself yet. */
  readonly log: LogEntry[] = [];
  readonly place: StreamPlace;
  readonly children = new Map<string, FollowedRun>();
  #caller: FollowedRun | undefined;
  readonly #source: RunSource;
  readonly #options: FollowedOptions;
  readonly #projection: RunProjection;
  /** Names the history that was read. */
  #read: { readonly key: string; readonly runId: string } | undefined;
  #hasEnded = false;
  /** How many looks in a row found a workflow task in progress. */
  #waits = 0;
  /** How many queries in a row got no answer. */
  #unanswered = 0;

  constructor(source: RunSource, options: FollowedOptions) {
    this.place = options.place;
    this.#source = source;
    this.#options = options;
    this.#projection = new RunProjection(options.place);
  }

  get workflowId(): string {
    return this.place.workflowId;
  }

  /** True once all of it was told. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The run is closed. `end` if streams get it from its events. */
  ended(order: () => number, end?: End): void {
    this.#hasEnded = true;
    if (end) this.events.add([{ ...end, told: this.log.length + 1 }], order);
  }

  /** The other run was called by this one. */
  adopt(run: FollowedRun): void {
    this.children.set(run.workflowId, run);
    run.#caller = this;
  }

  get caller(): FollowedRun | undefined {
    return this.#caller;
  }

  /** Undefined if there is nothing new. Throws `NoAnswer`. */
  async look(): Promise<Look | undefined> {
    const execution = await this.#source.describe();
    if (keyOf(execution) === this.#read?.key || this.#isBusy(execution)) return undefined;
    const isSame = await this.#isSameExecution(execution);
    const state = await this.#stateOf(execution);
    const entries = await this.#entries(hasClosed(execution), isSame);
    if (entries === undefined) return undefined;
    const children = await this.#newChildren(execution, entries);
    return { execution, entries, children, state };
  }

  /**
   * A query waits for the workflow task in progress, and for a second more if the run ends with that task. So the task comes first, unless
   * it takes so long that the worker may be down.
   */
  #isBusy(execution: WorkflowExecutionDescription): boolean {
    const isBusy = !hasClosed(execution) && Boolean(execution.raw.pendingWorkflowTask);
    this.#waits = isBusy ? this.#waits + 1 : 0;
    return isBusy && this.#waits <= mostWaits;
  }

  /** The memo says whether anything is open, and only the run itself has its inputs in full. */
  async #stateOf(execution: WorkflowExecutionDescription): Promise<RunState | undefined> {
    if (!this.#options.isRoot || stateFromMemo(execution).status !== 'needs-input')
      return undefined;
    const state = await this.#source.state();
    if (state === undefined) throw new NoAnswer();
    return state;
  }

  /** Whether this is the history that was told last. */
  isAt(execution: WorkflowExecutionDescription): boolean {
    return keyOf(execution) === this.#read?.key;
  }

  /** Takes what a look found. Calls `before` for each result of a call. */
  tell(
    { execution, entries }: Look,
    order: () => number,
    before: (turn: number, index: number) => void,
  ): void {
    for (const group of groupsOf(entries)) {
      const [first] = group;
      if (first?.kind === 'tool-result') before(first.result.turn ?? 0, first.result.index ?? 0);
      const from = this.log.length;
      this.log.push(...group);
      this.events.add(withTold(this.#projection.log(from, group), from, this.log.length), order);
    }
    this.#read = { key: keyOf(execution), runId: execution.runId };
  }

  hear(event: LiveEvent, order: () => number): void {
    const told = this.log.length;
    this.events.add(
      this.#projection.live(event).map((said) => ({ ...said, told })),
      order,
    );
  }

  /** Throws if the run was reset. */
  async #isSameExecution({ runId }: WorkflowExecutionDescription): Promise<boolean> {
    if (this.#read === undefined || this.#read.runId === runId) return true;
    const before = await this.#source.describe(this.#read.runId);
    if (before.status.name !== 'CONTINUED_AS_NEW') throw wasReset(this.workflowId);
    return false;
  }

  /** Undefined if the execution has not loaded its log yet. */
  async #entries(isClosed: boolean, isSame: boolean): Promise<readonly LogEntry[] | undefined> {
    const known = this.log.length;
    if (!this.#options.isAgent) return [];
    const from = isSame ? known : Math.max(0, known - 1);
    const entries = isClosed ? await this.#source.closedLog(from) : await this.#source.log(from);
    if (entries === undefined) return this.#askAgain(isClosed);
    this.#unanswered = 0;
    if (from === known) return entries;
    const [last, ...rest] = entries;
    if (last === undefined) return undefined;
    if (last.id !== this.log[from]?.id) throw wasReset(this.workflowId);
    return rest;
  }

  /** The server may lose a query when the run ends. Of a closed run, it loses none. */
  #askAgain(isClosed: boolean): undefined {
    this.#unanswered += 1;
    if (isClosed || this.#unanswered >= mostUnanswered) throw new NoAnswer();
    return undefined;
  }

  async #newChildren(
    execution: WorkflowExecutionDescription,
    entries: readonly LogEntry[],
  ): Promise<Look['children']> {
    if (!this.#options.tree) return undefined;
    if (this.#options.isAgent && !this.#mayHaveMore(execution, entries)) return undefined;
    return await this.#source.children();
  }

  /** Whether an agent may have children that are not known yet. */
  #mayHaveMore(
    { raw, status }: WorkflowExecutionDescription,
    entries: readonly LogEntry[],
  ): boolean {
    if (status.name !== 'RUNNING' || entries.some(({ kind }) => kind === 'tool-result'))
      return true;
    const open = (raw.pendingChildren ?? []).map(({ workflowId }) => workflowId);
    return open.some((id) => !this.children.has(id ?? ''));
  }
}

export function wasReset(workflowId: string): LonghaulError {
  return new LonghaulError(
    'StreamCut',
    `run '${workflowId}' was reset, so its stream cannot go on. Open it again from the beginning`,
    { retryable: true, details: { workflowId } },
  );
}

function keyOf({ runId, historyLength, status }: WorkflowExecutionDescription): string {
  return `${runId}/${historyLength}/${status.name}`;
}

const aboutTurn: readonly string[] = [
  'repair-call',
  'ignore-call',
  'answer-calls',
  'replace-turn',
  'go-on',
];

/** A turn with the decisions about it, which come right after it. Each other entry is alone. */
function groupsOf(entries: readonly LogEntry[]): LogEntry[][] {
  const groups: LogEntry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const isAbout = entry.kind === 'decision' && aboutTurn.includes(entry.decision.kind);
    if (isAbout && group?.[0]?.kind === 'model-turn') group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** The last event of the entries tells them. What a model call in progress says may follow. */
function withTold(events: readonly UnplacedEvent[], from: number, to: number): BufferedEvent[] {
  const last = events.findLastIndex((event) => !isPiece(event));
  return events.map((event, index) => ({ ...event, told: index < last ? from : to }));
}
