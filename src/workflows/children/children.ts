// Starts the runs that a run calls, as child workflows. This file decides on a child's place, its start and its share of the budget, and
// handles its end.
//
// 1. A forbidden, circular or too deep call never starts: it throws the typed error.
// 2. Each caller adds what it forbids on the way down. Ancestors travel in the workflow input, never in the session.
// 3. When a child ends, its questions close, and its caller reports that to the root run.
// 4. A child's id comes from the workflow's own random numbers: a reset finds the children it keeps, and starts the others again, under new
//    ids. The origin does not use random numbers, so repeated work keeps its idempotency keys.
// 5. A child's result counts once. A child that stays open sends it early; any other child returns it.
// 6. Everything a child has spent counts, once. Its result or its failure has the amount. A child that stayed open reports the rest when it
//    closes. A cancelled child returns neither, so it reports its spend before it closes.

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
import { allSpeakers, speakersIn, unknownSpeaker } from '../../core/people/speakers';
import { defined, type JsonObject, utf8Length } from '../../base';
import {
  type AgentToolPolicy,
  type BudgetSpec,
  type ChildOutcome,
  type ChildResult,
  type ChildView,
  limits,
  type Lineage,
  LonghaulError,
  type RunInput,
  type RunnerPlace,
  type RunSpend,
  signalNames,
  type Traced,
  workflowTypes,
} from '../../protocol';
import type { Execution } from '../lifecycle/execution';
import type { LoadedDefinition } from '../run/load';
import type { RunPosition } from '../run/run-position';
import { cancelledBelow, failureCode, failureSpend } from './child-failure';
import { cancelWithScope, childId, childOptions } from './child-start';
import { SentInputs } from './sent-inputs';
import { StartGate } from './start-gate';

/** The calling run. */
export type Caller = {
  readonly execution: Execution;
  readonly position: RunPosition;
  readonly definition: LoadedDefinition;
  readonly input: Pick<RunInput, 'context'>;
  readonly budget: RunBudget;
  /** The span that children are below. */
  readonly traced: Traced;
};

export type ChildCall = RunnerPlace & {
  /** Distinguishes the child's id from its siblings' ids: the step or tool, the turn and the index. */
  readonly place: string;
  /** Distinguishes its origin from its siblings' origins. Attempts at the same work share it. */
  readonly work: string;
  /** Its part of the path. */
  readonly element: string;
  readonly input: RunInput['input'];
  readonly session: JsonObject;
  /** The run's session does not change while the child runs, so the child can fetch a long one. */
  readonly isSessionStable?: boolean;
  /** One agent calls another. A policy may forbid that. */
  readonly isSubAgentCall?: boolean;
  readonly policy?: AgentToolPolicy;
  /** How many calls, with this one, share the remaining budget. */
  readonly among: number;
};

type OpenChild = {
  readonly early: (result: ChildResult) => void;
  readonly report: Report;
  /** Sends `detach` to the child: nobody needs its result. A child that has not started yet gets it after its start. */
  readonly detach: () => void;
};

type OpenView = { -readonly [Name in keyof ChildView]: ChildView[Name] };

/** The spending that a cancelled child has reported. */
type Report = { spend?: RunSpend };

/** A run remembers only its newest children. */
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

  /** Children that have not closed. Some may already have given their result. */
  get openCount(): number {
    return this.#open.size;
  }

  get views(): readonly ChildView[] {
    return this.#views;
  }

  /** The ids of all people who have written something to this run, to the runs above it, or to runs below it that gave a result. */
  get speakers(): readonly string[] {
    const { execution, position } = this.#caller;
    return allSpeakers(
      speakersAbove(position.lineage),
      speakersIn(execution.view.log.entries),
      ...this.#views.map(({ speakers = [] }) => speakers),
    );
  }

  /** Absent if only the requester has written something to the run. */
  get otherSpeakers(): Pick<Lineage, 'speakers'> {
    const { speakers } = this;
    const { requester = unknownSpeaker } = this.#caller.position.lineage;
    return speakers.length === 1 && speakers[0] === requester ? {} : { speakers };
  }

  /** The input of an open child, if it was too long to send with the start. */
  inputOf(number: number): RunInput['input'] | undefined {
    return this.#inputs.get(number);
  }

  async call(call: ChildCall): Promise<ChildResult> {
    const { budget } = this.#caller;
    const lineage = { ...lineageOf(this.#caller, call), ...this.otherSpeakers };
    const share = budget.promise(call.among);
    const report: Report = {};
    try {
      const result = await this.#start(call, this.#startOf(call, lineage, share), report);
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

  /** Nobody needs the children's results any more, so nobody answers their questions. */
  detach(): void {
    if (this.#detached) return;
    this.#detached = true;
    for (const { detach } of this.#open.values()) detach();
  }

  /** True if this child is running. Children from before a reset do not count. */
  isOpen(child: string): boolean {
    return this.#open.has(child);
  }

  /** Resolves when all children have closed. */
  async closed(): Promise<void> {
    await condition(() => this.#open.size === 0);
  }

  async #start(
    call: ChildCall,
    start: Omit<RunInput, 'input'> & { readonly lineage: Lineage },
    report: Report,
  ): Promise<ChildResult> {
    const { lineage } = start;
    const id = childId({ ...this.#caller.execution.info, tag: uuid4(), place: call.place });
    const input = { ...start, ...this.#inputs.send(id, call.input) };
    const bytes = utf8Length(JSON.stringify(input));
    await this.#enter(id, bytes);
    const view = this.#see(id, call, lineage.path);
    const started = startChild<(input: RunInput) => Promise<ChildResult>>(
      workflowTypes[call.kind ?? 'agent'],
      childOptions(id, input, {
        memo: { agent: call.runner, path: lineage.path, ...defined({ key: lineage.key }) },
        indexed: this.#caller.definition.searchAttributes,
        title: call.element,
        input: call.input,
      }),
    );
    const leave = (): void => this.#gate.leave(bytes);
    started.then(leave, leave);
    started.then(cancelWithScope).catch(() => undefined);
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
    const result = await Promise.race([early, ended]);
    if (result.speakers !== undefined) view.speakers = result.speakers;
    return result;
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
  ): Omit<RunInput, 'input'> & { readonly lineage: Lineage } {
    const { position, definition: loaded, input } = this.#caller;
    const { workflowId, origin } = position;
    const { application, ...definition } = position.definitionRef(loaded.hash);
    const { runner, work, session, isSessionStable = false } = call;
    const travels = !isSessionStable || utf8Length(JSON.stringify(session)) <= limits.sessionInline;
    return {
      runner,
      lineage,
      origin: originBelow(origin, work),
      definition: { root: workflowId, ...definition },
      ...(travels ? { session } : { sessionFrom: workflowId }),
      ...defined({ application, context: input.context, budget: share }),
      ...this.#caller.traced,
    };
  }

  #see(workflowId: string, { runner, kind }: RunnerPlace, path: string): OpenView {
    const view: OpenView = { workflowId, runner, ...defined({ kind }), path, status: 'open' };
    this.#views.push(view);
    this.#views = this.#views.slice(-keptViews);
    return view;
  }

  #close(id: string, view: OpenView, status: ChildView['status']): void {
    view.status = status;
    this.#open.delete(id);
    this.#inputs.drop(id);
    // Nothing below a closed child is open. In the root run this costs no event, because the root run lists the questions itself.
    const { execution, position } = this.#caller;
    if (status !== 'completed' || position.lineage.depth === 0) execution.forget(id);
  }
}

function speakersAbove({ requester, speakers }: Lineage): readonly string[] {
  return speakers ?? [requester ?? unknownSpeaker];
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
  const { root, depth, key, requester, branch = workflowId, policy: forbidden = {} } = lineage;
  const { id } = caller.definition.config;
  const { runner, policy = {} } = call;
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
  if (depth >= limits.depth) {
    throw new LonghaulError(
      'DepthExceeded',
      `'${runner}' would be nested deeper than ${limits.depth}: let fewer agents call each other`,
    );
  }
  return {
    root,
    path: `${lineage.path}/${call.element}`,
    ancestors,
    depth: depth + 1,
    ...(depth > 0 && { branch }),
    ...defined({ key, requester, policy: addedPolicy(forbidden, policy) }),
  };
}

/** Undefined if it forbids nothing. */
function addedPolicy(above: AgentToolPolicy, own: AgentToolPolicy): AgentToolPolicy | undefined {
  const ids = new Set([above, own].flatMap(({ disallowedAgentIds = [] }) => disallowedAgentIds));
  const disallows = [above, own].some(({ disallowSubAgentCalls }) => disallowSubAgentCalls);
  if (ids.size === 0 && !disallows) return undefined;
  return {
    ...(disallows && { disallowSubAgentCalls: true }),
    ...(ids.size > 0 && { disallowedAgentIds: [...ids] }),
  };
}
