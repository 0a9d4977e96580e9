// The runs a run calls: each a child workflow. Where it hangs, what it starts from, what it may spend, what becomes of it.
//
// 1. A forbidden, circular or too deep call never starts: it throws the typed error.
// 2. What the callers above forbid is added up on the way down; ancestors travel in the workflow input, never in the session.
// 3. A child that has ended has nothing open any more. The root run is told so.
// 4. A child's id is drawn from the workflow's own random numbers: a reset finds those it keeps, and starts the others anew. Its origin is
//    not: what it does again has the idempotency keys it had.
// 5. A child's result counts once: a child that stays open tells it early; any other returns it.
// 6. All that a child has spent counts, once: as its result or its failure says, the rest when one that stayed open closes. One that is
//    cancelled returns neither, and tells it before it closes.

import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  startChild,
  uuid4,
} from '@temporalio/workflow';
import type { RunBudget } from '../../core/budget/budget';
import { originBelow } from '../../core/origin';
import { spendSince } from '../../core/budget/spend';
import { utf8Length } from '../../base/text';
import type { RunnerPlace } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { signalNames, workflowTypes } from '../../protocol/names';
import type {
  ChildOutcome,
  ChildResult,
  ChildView,
  Lineage,
  RunInput,
  RunSpend,
} from '../../protocol/run';
import type { AgentToolPolicy, BudgetSpec } from '../../protocol/spec';
import type { Execution } from '../execution/execution';
import type { LoadedDefinition } from '../run/load';
import type { RunPosition } from '../run/run-position';
import { cancelledBelow, failureCode, failureSpend } from './child-failure';
import { childId, childOptions } from './child-start';
import { SentInputs } from './sent-inputs';
import { StartGate } from './start-gate';

/** The run that calls. */
export type Caller = {
  readonly execution: Execution;
  readonly position: RunPosition;
  readonly definition: LoadedDefinition;
  readonly input: Pick<RunInput, 'context'>;
  readonly budget: RunBudget;
};

export type ChildCall = RunnerPlace & {
  /** Tells the child's id apart from its siblings': the step or tool, the turn and the index. */
  readonly place: string;
  /** Tells its origin apart from its siblings'; attempts at the same work share it. */
  readonly work: string;
  /** Its part of the path. */
  readonly element: string;
  readonly input: RunInput['input'];
  readonly session: JsonObject;
  /** The run's session stays what it is while the child runs: a long one is fetched. */
  readonly isSessionStable?: boolean;
  /** A call of one agent by another, which a policy may forbid as such. */
  readonly isSubAgentCall?: boolean;
  readonly policy?: AgentToolPolicy;
  /** Calls, this one included, that share what is left of the budget. */
  readonly among: number;
};

type OpenChild = {
  readonly early: (result: ChildResult) => void;
  readonly report: Report;
  /** Tells the child that nobody needs its result; one that has yet to start, once it has. */
  readonly detach: () => void;
};

/** What a child told it spent, when it was cancelled. */
type Report = { spend?: RunSpend };

type ChildStart = {
  readonly lineage: Lineage;
  readonly share: BudgetSpec | undefined;
  readonly report: Report;
};

/** What a run remembers of its children, the last so many. */
const keptViews = 1_000;

export class Children {
  readonly #caller: Caller;
  readonly #gate = new StartGate();
  readonly #inputs: SentInputs;
  readonly #open = new Map<string, OpenChild>();
  #views: ChildView[];
  #detached = false;

  constructor(caller: Caller, views: readonly ChildView[] = []) {
    this.#caller = caller;
    this.#inputs = new SentInputs(caller.execution.info);
    this.#views = [...views];
  }

  /** Children that have not closed; some of them may have given their result. */
  get openCount(): number {
    return this.#open.size;
  }

  get views(): readonly ChildView[] {
    return this.#views;
  }

  /** What a child that is open was started with, where it was too long to travel. */
  inputOf(number: number): RunInput['input'] | undefined {
    return this.#inputs.get(number);
  }

  async call(call: ChildCall): Promise<ChildResult> {
    const { budget } = this.#caller;
    const lineage = lineageOf(this.#caller, call);
    const share = budget.promise(call.among);
    const report: Report = {};
    try {
      const result = await this.#start(call, { lineage, share, report });
      budget.takeBack(share);
      budget.record(result.spend);
      return result;
    } catch (error) {
      budget.takeBack(share);
      const spend = failureSpend(error) ?? report.spend;
      if (spend !== undefined) budget.record(spend);
      const isCancelled = CancellationScope.current().consideredCancelled;
      throw isCancelled ? error : cancelledBelow(error, lineage.path);
    }
  }

  takeOutcome(outcome: ChildOutcome): void {
    const child = this.#open.get(outcome.child);
    if (child === undefined) return;
    if ('result' in outcome) child.early(outcome.result);
    else child.report.spend = outcome.spend;
  }

  /** Nobody needs what they give any more: whoever of them asks is not answered. */
  detach(): void {
    if (this.#detached) return;
    this.#detached = true;
    for (const { detach } of this.#open.values()) detach();
  }

  /** True if this child is running. Children from before a reset do not count. */
  isOpen(child: string): boolean {
    return this.#open.has(child);
  }

  /** Resolves when all have closed. */
  async closed(): Promise<void> {
    await condition(() => this.#open.size === 0);
  }

  async #start(call: ChildCall, { lineage, share, report }: ChildStart): Promise<ChildResult> {
    const id = childId({ ...this.#caller.execution.info, tag: uuid4(), place: call.place });
    const input = { ...this.#startOf(call, lineage, share), ...this.#inputs.send(id, call.input) };
    const bytes = utf8Length(JSON.stringify(input));
    await this.#enter(id, bytes);
    const view = this.#see(id, call, lineage.path);
    const started = startChild<(input: RunInput) => Promise<ChildResult>>(
      workflowTypes[call.kind ?? 'agent'],
      childOptions(id, input, {
        memo: { agent: call.runner, path: lineage.path, ...(lineage.key && { key: lineage.key }) },
        title: call.element,
        input: call.input,
      }),
    );
    const leave = (): void => this.#gate.leave(bytes);
    started.then(leave, leave);
    const detach = (): void => void started.then(() => tellDetached(id)).catch(() => undefined);
    if (this.#detached) detach();
    const early = new Promise<ChildResult>((resolve) => {
      this.#open.set(id, { early: resolve, detach, report });
    });
    const ended = started.then((handle) => handle.result());
    ended.then(
      () => this.#close(id, view, 'completed'),
      (error: unknown) => this.#close(id, view, statusOf(error)),
    );
    void early.then(({ spend }) => this.#countRest(spend, ended));
    return await Promise.race([early, ended]);
  }

  async #countRest(counted: RunSpend, ended: Promise<ChildResult>): Promise<void> {
    const rest = await ended.then(({ spend }) => spendSince(counted, spend)).catch(() => undefined);
    if (rest !== undefined) this.#caller.budget.record(rest);
  }

  async #enter(id: string, bytes: number): Promise<void> {
    try {
      await this.#gate.enter(bytes);
    } catch (error) {
      this.#inputs.drop(id);
      throw error;
    }
  }

  #startOf(
    call: ChildCall,
    lineage: Lineage,
    share: BudgetSpec | undefined,
  ): Omit<RunInput, 'input'> {
    const { position, definition: loaded, input } = this.#caller;
    const { workflowId, origin } = position;
    const definition = position.definitionRef(loaded.hash);
    const { runner, work, session, isSessionStable = false } = call;
    const travels = !isSessionStable || utf8Length(JSON.stringify(session)) <= limits.sessionInline;
    return {
      runner,
      lineage,
      origin: originBelow(origin, work),
      definition: { root: definition.root ?? workflowId, hash: definition.hash },
      ...(definition.application !== undefined && { application: definition.application }),
      ...(travels ? { session } : { sessionFrom: workflowId }),
      ...(input.context && { context: input.context }),
      ...(share && { budget: share }),
    };
  }

  #see(workflowId: string, { runner, kind }: RunnerPlace, path: string): { status: string } {
    const view: ChildView & { status: ChildView['status'] } = {
      workflowId,
      runner,
      ...(kind && { kind }),
      path,
      status: 'open',
    };
    this.#views.push(view);
    this.#views = this.#views.slice(-keptViews);
    return view;
  }

  #close(id: string, view: { status: string }, status: ChildView['status']): void {
    view.status = status;
    this.#open.delete(id);
    this.#inputs.drop(id);
    // For the root run, which lists what is asked itself, it costs no event: nothing below can be open any more.
    const { execution, position } = this.#caller;
    if (status !== 'completed' || position.lineage.depth === 0) execution.forget(id);
  }
}

function tellDetached(child: string): void {
  getExternalWorkflowHandle(child)
    .signal(signalNames.detach)
    .catch(() => undefined);
}

function statusOf(error: unknown): ChildView['status'] {
  return failureCode(error) === 'RunCancelled' ? 'cancelled' : 'failed';
}

function lineageOf(caller: Caller, call: ChildCall): Lineage {
  const { lineage, workflowId } = caller.position;
  const { id } = caller.definition.config;
  const { runner, policy = {} } = call;
  const forbidden = lineage.policy ?? {};
  const forbidsCalls = call.isSubAgentCall === true && forbidden.disallowSubAgentCalls === true;
  if (forbidsCalls || forbidden.disallowedAgentIds?.includes(runner)) {
    throw new LonghaulError(
      'DisallowedAgentCall',
      `'${id}' must not call '${runner}': a caller above forbids it. Change its policy, or the tools of '${id}'`,
      { details: { id: runner } },
    );
  }
  const ancestors = [...lineage.ancestors, id];
  if (ancestors.includes(runner)) {
    throw new LonghaulError(
      'CircularAgentCall',
      `'${runner}' is already being called: ${[...ancestors, runner].join(' → ')}. Break the circle`,
      { details: { id: runner } },
    );
  }
  if (lineage.depth >= limits.depth) {
    throw new LonghaulError(
      'DepthExceeded',
      `'${runner}' would be nested deeper than ${limits.depth}: let fewer agents call each other`,
    );
  }
  return {
    root: lineage.root,
    path: `${lineage.path}/${call.element}`,
    ancestors,
    depth: lineage.depth + 1,
    ...(lineage.depth > 0 && { branch: lineage.branch ?? workflowId }),
    ...(lineage.key && { key: lineage.key }),
    ...addedPolicy(forbidden, policy),
  };
}

function addedPolicy(above: AgentToolPolicy, own: AgentToolPolicy): { policy?: AgentToolPolicy } {
  const ids = [
    ...new Set([...(above.disallowedAgentIds ?? []), ...(own.disallowedAgentIds ?? [])]),
  ];
  const disallows = above.disallowSubAgentCalls === true || own.disallowSubAgentCalls === true;
  if (ids.length === 0 && !disallows) return {};
  return {
    policy: {
      ...(disallows && { disallowSubAgentCalls: true }),
      ...(ids.length > 0 && { disallowedAgentIds: ids }),
    },
  };
}
