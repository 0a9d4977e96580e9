// One run, whatever it runs: loads its definition, drives it to its end, shows it, answers for it.
//
// 1. All handlers are set in the constructor, before the first await.
// 2. The outcome is out before anything is saved; saving can neither be cancelled nor fail the run.
// 3. A run closes after all it called, and after everyone who waits was answered.
// 4. Halted, it starts nothing any more and does not end: only a reset, or a cancellation, comes after.
// 5. A child returns its changes of the session and what it spent; only the root run returns a session.

import { RunSession } from './run/run-session';
import {
  allHandlersFinished,
  CancellationScope,
  condition,
  ContinueAsNew,
  defineSignal,
  isCancellation,
  makeContinueAsNewFunc,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { RunBudget } from '../core/budget/budget';
import type { PlanResult } from '../core/orchestration/plan';
import { isSpent } from '../core/budget/spend';
import { runnerIdOf } from '../core/runner-refs';
import { LonghaulError } from '../protocol/errors';
import { signalNames } from '../protocol/names';
import type { LogEntry } from '../protocol/log';
import type { AgentRunResult, ChildInputs, ChildResult, RunInput, RunState } from '../protocol/run';
import { controlActivities } from './activity-proxies';
import { stateOf } from './run/machine-options';
import {
  carriedEntries,
  pack,
  unpack,
  type ProgressWithin,
  type CarriedRun,
} from './run/carried-run';
import { reported } from './children/child-failure';
import { Children } from './children/children';
import { createDriver } from './create-driver';
import type { DrivenRun, Driver } from './run/driver';
import { storable, toWorkflowFailure } from './durable';
import { HistoryWatch } from './execution/history-watch';
import { resolveDefinition, type LoadedDefinition, closeSession } from './run/load';
import { InputReporter, sendAnswer, reportToCaller } from './execution/messages';
import { PendingRequests } from './execution/pending-requests';
import { RunDisplay, type Shown, carriedMemo } from './execution/visible-state';
import { setRunHandlers } from './run/run-handlers';
import { RunLog } from './execution/run-log';
import { RunPosition } from './run/run-position';
import { setRunQueries } from './run/run-queries';
import { childResult, runResult } from './run/run-result';
import {
  openStart,
  takeRunStart,
  withoutStart,
  type WorkflowArguments,
  type Taken,
} from './run/run-start';

/** What exists once the definition is known. */
type Loaded = {
  readonly definition: LoadedDefinition;
  readonly budget: RunBudget;
  readonly children: Children;
  readonly driver: Driver;
};

export class Run {
  readonly #info = workflowInfo();
  readonly #started: Taken<RunInput>;
  #input: RunInput;
  readonly #position: RunPosition;
  readonly #reporter: InputReporter | undefined;
  readonly #requests = new PendingRequests();
  readonly #session = new RunSession();
  readonly #display = new RunDisplay(this.#info.memo);
  readonly #history = new HistoryWatch(() => this.#requests.updates);
  #log = new RunLog({ workflowId: this.#info.workflowId, runId: this.#info.runId });
  #loaded: Loaded | undefined;
  #cancelReason: string | undefined;
  #detached = false;
  readonly #work = new CancellationScope();

  constructor(given: WorkflowArguments) {
    this.#started = takeRunStart(given, this.#info);
    this.#input = this.#started.input;
    this.#position = new RunPosition(this.#input, this.#info);
    const { reportsTo } = this.#position;
    this.#reporter =
      reportsTo === undefined
        ? undefined
        : new InputReporter(reportsTo, {
            child: this.#info.workflowId,
            branch: this.#position.lineage.branch,
            isContinued: this.#started.carried !== undefined,
          });
    setRunHandlers({
      requests: this.#requests,
      state: () => this.#state(),
      cancel: (reason) => this.#cancel(reason),
      feed: (delivery) => this.#ready().driver.feed(delivery),
      sendAnswer,
      takeInputs: (inputs) => this.#takeInputs(inputs),
      takeOutcome: (outcome) => this.#loaded?.children.takeOutcome(outcome),
      detach: () => this.#detachByCaller(),
      onChange: () => this.#show(),
      onRefusal: () => this.#display.showDetails(this.#state(), this.#shown()),
    });
    setHandler(defineSignal(signalNames.halt), () => this.#work.cancel());
    setRunQueries({
      log: () => this.#log,
      definition: () => this.#loaded?.definition,
      context: () => this.#input.context ?? {},
      session: () => this.#session.value,
      runner: () => this.#input.runner,
      children: () => this.#loaded?.children.views ?? [],
      childInput: (number) => this.#loaded?.children.inputOf(number),
    });
  }

  async run(): Promise<AgentRunResult | ChildResult> {
    try {
      await this.#load();
      return await this.#finish(await this.#driveOn(this.#ready().driver));
    } catch (error) {
      const isOver = error instanceof ContinueAsNew || this.#requests.ended;
      const status = isCancellation(error) ? 'cancelled' : 'failed';
      // What is still under way is cancelled here, for its end is waited for: closing would terminate it, and lose what it spent.
      if (!isOver) CancellationScope.current().cancel();
      await CancellationScope.nonCancellable(() => this.#end(isOver ? undefined : status));
      const spend = this.#loaded?.budget.spend;
      const { isRoot } = this.#position;
      if (spend === undefined || (isRoot && this.#input.thread === undefined)) throw error;
      if (!isRoot && status === 'cancelled' && isSpent(spend))
        await CancellationScope.nonCancellable(() => reportToCaller({ spend }));
      throw reported(toWorkflowFailure(error), spend);
    }
  }

  async #load(): Promise<void> {
    const { carried: bytes, refused } = this.#started;
    if (refused !== undefined) throw refused;
    if (bytes !== undefined) {
      const carried = unpack(bytes);
      this.#requests.restore(carried.requests);
      return this.#restore(carried, await carriedEntries(carried));
    }
    const { runner, definition } = this.#input;
    const loaded = await resolveDefinition({
      runner: runnerIdOf(this.#input.runner),
      ...(typeof runner !== 'string' && { inline: true }),
      ...(definition && { definition }),
      ...this.#position.application,
    });
    const { session, version, input } = await openStart(this.#input, loaded);
    this.#session.start(session, version);
    this.#input = { ...this.#input, input };
    this.#start(loaded);
  }

  #restore(carried: CarriedRun, entries: readonly LogEntry[]): void {
    this.#session.restore(carried.session);
    const { workflowId, runId } = this.#info;
    this.#log = new RunLog({ workflowId, runId, entries });
    this.#start(carried.definition, carried);
    if (carried.detached === true) this.#detach();
    if (carried.cancelReason !== undefined) this.#cancel(carried.cancelReason);
  }

  #start(definition: LoadedDefinition, carried?: CarriedRun): void {
    const { config } = definition;
    const budget = new RunBudget(config.budget, this.#input.budget);
    if (carried !== undefined) budget.restore(carried.budget);
    const caller = {
      workflowId: this.#info.workflowId,
      runId: this.#info.runId,
      runner: config.id,
      lineage: this.#position.lineage,
      origin: this.#position.origin,
      definition: this.#position.definitionRef(definition.hash),
      context: this.#input.context,
      budget,
      forget: (child: string) => this.#forget(child),
    };
    const children = new Children(caller, carried?.children);
    const driven: DrivenRun = {
      input: this.#input,
      info: this.#info,
      position: this.#position,
      definition,
      requests: this.#requests,
      session: this.#session,
      budget,
      children,
      log: this.#log,
      isDetached: () => this.#detached,
      onChange: () => this.#show(),
      history: this.#history,
      isAtItsEnd: () => this.#isAtItsEnd,
      continueAsNewIfDue: (progress) => this.#continueAsNewIfDue(progress),
    };
    this.#loaded = { definition, budget, children, driver: createDriver(driven, carried) };
    this.#requests.loaded();
    this.#history.loaded();
    if (this.#detached) children.detach();
  }

  /** A run that is halted waits for the reset that takes it back, or for its end from outside. */
  async #driveOn(driver: Driver): Promise<PlanResult> {
    try {
      return await this.#work.run(() => driver.drive());
    } catch (error) {
      const isHalted =
        this.#work.consideredCancelled && !CancellationScope.current().consideredCancelled;
      if (!isHalted || error instanceof ContinueAsNew) throw error;
      await condition(() => false);
      throw error;
    }
  }

  async #finish(planned: PlanResult): Promise<AgentRunResult | ChildResult> {
    const { definition, children, budget, driver } = this.#ready();
    const turnSummary = this.#input.thread && driver.turnSummary;
    const { kind } = definition.config;
    const ended = { workflowId: this.#info.workflowId, kind, budget, session: this.#session };
    const result = runResult(planned, { ...ended, turnSummary });
    // Checked before it is published, too: what an update cannot carry would wedge the run.
    const returned = storable(this.#position.isRoot ? result : childResult(planned, ended));
    this.#requests.result = result;
    await this.#end('completed');
    if (children.openCount > 0) children.detach();
    if (!('delta' in returned)) return await this.#save(returned);
    if (children.openCount > 0) await reportToCaller({ result: returned });
    await this.#waitForChildren();
    return { ...returned, spend: budget.spend };
  }

  async #save(result: AgentRunResult): Promise<AgentRunResult> {
    const { definition } = this.#ready();
    const warnings = await CancellationScope.nonCancellable(() =>
      closeSession(this.#input, definition, this.#session),
    );
    await this.#waitForChildren();
    if (warnings.length === 0) return result;
    return { ...result, warnings: [...(result.warnings ?? []), ...warnings] };
  }

  /** The outcome is out, but runs below are still open, which closing would terminate. Nobody is left to answer them. */
  async #waitForChildren(): Promise<void> {
    const { children } = this.#ready();
    if (children.openCount === 0) return;
    try {
      await children.closed();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => children.closed());
    }
    await CancellationScope.nonCancellable(() => this.#finishMessages());
  }

  /** It goes on in another execution, or ends, when it is between two steps. */
  get #isAtItsEnd(): boolean {
    return this.#canMove || this.#history.isOver;
  }

  get #canMove(): boolean {
    return this.#ready().children.openCount === 0 && this.#history.isDue;
  }

  #continueAsNewIfDue(progress: ProgressWithin): Promise<void> | undefined {
    const isMoving = this.#canMove;
    this.#history.stepped();
    if (isMoving) return this.#continueAsNew(progress);
    if (this.#history.isOver) throw this.#history.tooLarge(this.#log);
    return undefined;
  }

  async #continueAsNew(progress: ProgressWithin): Promise<void> {
    const { definition, budget, children } = this.#ready();
    this.#requests.moving = true;
    await this.#finishMessages();
    const bytes = pack(
      {
        progress,
        requests: this.#requests.carry(),
        definition,
        session: this.#session.carry(),
        budget: budget.carry(),
        children: children.views,
        ...(this.#detached && { detached: true }),
        ...(this.#cancelReason !== undefined && { cancelReason: this.#cancelReason }),
      },
      this.#log,
    );
    const runner = runnerIdOf(this.#input.runner);
    const { origin } = this.#position;
    const next: RunInput = { ...withoutStart(this.#input), runner, input: 'continued', origin };
    await makeContinueAsNewFunc<(input: RunInput, carried: Uint8Array) => Promise<AgentRunResult>>(
      carriedMemo(),
    )(next, bytes);
  }

  /** Shows the end, if there is one, and leaves nothing unanswered or untold. */
  async #end(status: RunState['status'] | undefined): Promise<void> {
    if (status !== undefined) {
      this.#requests.status = status;
      this.#requests.close();
      this.#show();
    }
    // Cancelled calls and children end first: a parent that closed before them would terminate them.
    if (status === 'cancelled' || status === 'failed') {
      await condition(() => this.#loaded?.driver.noneRunning ?? true);
      await this.#loaded?.children.closed();
    }
    await this.#finishMessages();
  }

  async #finishMessages(): Promise<void> {
    await condition(allHandlersFinished);
    await this.#reporter?.flush();
  }

  #show(): void {
    this.#display.show(this.#state(), this.#shown());
    this.#reporter?.report(this.#detached ? [] : this.#requests.pending);
  }

  #shown(): Shown {
    return {
      entries: this.#log.entries,
      children: this.#loaded?.children.views ?? [],
      indexed: this.#loaded?.definition.searchAttributes ?? false,
      key: this.#position.lineage.key ?? [],
      reason: this.#cancelReason,
    };
  }

  /** What an execution before a reset left open below it still speaks up: nobody here called it. */
  #takeInputs({ child, branch = child, inputs }: ChildInputs): void {
    if (this.#loaded?.children.isOpen(branch) !== true) return;
    this.#requests.publishChild(child, inputs, branch);
    this.#show();
  }

  #forget(child: string): void {
    if (!this.#position.isRoot) this.#reporter?.forget(child);
    this.#requests.forgetBranch(child);
    this.#show();
  }

  #cancel(reason: string): void {
    this.#cancelReason ??= reason;
    // Only the server can end a run as Canceled; the request comes back as the cancellation of the root scope.
    const { firstExecutionRunId } = this.#info;
    CancellationScope.nonCancellable(() =>
      controlActivities.requestCancellation({ firstExecutionRunId }),
    ).catch(() => undefined);
  }

  #detachByCaller(): void {
    if (this.#position.isRoot)
      throw new LonghaulError('InvalidInput', 'no run called this one: cancel it instead');
    this.#detach();
  }

  #detach(): void {
    this.#detached = true;
    this.#loaded?.children.detach();
    this.#show();
  }

  #state(): RunState {
    return stateOf({
      requests: this.#requests,
      progress: this.#loaded?.driver.progress,
      spend: this.#loaded?.budget.spend,
      runner: runnerIdOf(this.#input.runner),
      kind: this.#loaded?.definition.config.kind,
      path: this.#position.path,
      runId: this.#info.runId,
      logLength: this.#log.length,
    });
  }

  #ready(): Loaded {
    if (this.#loaded === undefined)
      throw new LonghaulError('InternalError', 'the run is still loading');
    return this.#loaded;
  }
}
