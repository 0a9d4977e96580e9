// One run, whatever it runs: loads its definition, drives it to its end, shows it, answers for it.
//
// 1. All handlers are set in the constructor, before the first await.
// 2. The outcome is out before anything is saved; saving can neither be cancelled nor fail the run.
// 3. A run closes after all it called, and after everyone who waits was answered.
// 4. Halted, it starts nothing any more and does not end: only a reset, or a cancellation, comes after.
// 5. A child returns its changes of the session and what it spent; only the root run returns a session.

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
import { runnerId } from '../core/runner-refs';
import { InternalError, InvalidInput } from '../protocol/error-classes';
import { signalNames } from '../protocol/names';
import type { LogEntry } from '../protocol/log';
import type { AgentRunResult, ChildInputs, ChildResult, RunInput, RunState } from '../protocol/run';
import { controlActivities } from './activity-proxies';
import { stateOf } from './run/agent-run-facts';
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
import { HistoryWatch } from './run/history-watch';
import { loadDefinition, type LoadedDefinition } from './run/load-definition';
import { RootLink, sendDown, tellCaller } from './run/root-link';
import { RunBoard } from './run/run-board';
import { RunDisplay, type Shown } from './run/run-display';
import { setRunHandlers } from './run/run-handlers';
import { RunLog } from './run/run-log';
import { RunPlace } from './run/run-place';
import { setRunQueries } from './run/run-queries';
import { childResult, runResult } from './run/run-result';
import { RunSession } from './run/run-session';
import { openStart, takeRunStart, withoutStart, type Given, type Taken } from './run/run-start';
import { closeSession } from './run/run-stores';
import { carriedMemo } from './run/visible-state';

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
  readonly #place: RunPlace;
  readonly #superior: RootLink | undefined;
  readonly #board = new RunBoard();
  readonly #session = new RunSession();
  readonly #display = new RunDisplay(this.#info.memo);
  readonly #history = new HistoryWatch(() => this.#board.updates);
  #log = new RunLog({ workflowId: this.#info.workflowId, runId: this.#info.runId });
  #loaded: Loaded | undefined;
  #cancelReason: string | undefined;
  #abandoned = false;
  readonly #work = new CancellationScope();

  constructor(given: Given) {
    this.#started = takeRunStart(given, this.#info);
    this.#input = this.#started.input;
    this.#place = new RunPlace(this.#input, this.#info);
    const { superior } = this.#place;
    this.#superior =
      superior === undefined
        ? undefined
        : new RootLink(superior, {
            child: this.#info.workflowId,
            branch: this.#place.lineage.branch,
            isContinued: this.#started.carried !== undefined,
          });
    setRunHandlers({
      board: this.#board,
      state: () => this.#state(),
      cancel: (reason) => this.#cancel(reason),
      feed: (delivery) => this.#ready().driver.feed(delivery),
      sendDown,
      takeInputs: (told) => this.#takeInputs(told),
      takeOutcome: (outcome) => this.#loaded?.children.takeOutcome(outcome),
      abandon: () => this.#abandonByCaller(),
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
      const isOver = error instanceof ContinueAsNew || this.#board.ended;
      const status = isCancellation(error) ? 'cancelled' : 'failed';
      // What is still under way is cancelled here, for its end is waited for: closing would terminate it, and lose what it spent.
      if (!isOver) CancellationScope.current().cancel();
      await CancellationScope.nonCancellable(() => this.#end(isOver ? undefined : status));
      const spend = this.#loaded?.budget.spend;
      const { isRoot } = this.#place;
      if (spend === undefined || (isRoot && this.#input.thread === undefined)) throw error;
      if (!isRoot && status === 'cancelled' && isSpent(spend))
        await CancellationScope.nonCancellable(() => tellCaller({ spend }));
      throw reported(toWorkflowFailure(error), spend);
    }
  }

  async #load(): Promise<void> {
    const { carried: bytes, refused } = this.#started;
    if (refused !== undefined) throw refused;
    if (bytes !== undefined) {
      const carried = unpack(bytes);
      this.#board.restore(carried.board);
      return this.#restore(carried, await carriedEntries(carried));
    }
    const { runner, definition } = this.#input;
    const loaded = await loadDefinition({
      runner: runnerId(this.#input.runner),
      ...(typeof runner !== 'string' && { inline: true }),
      ...(definition && { definition }),
      ...this.#place.application,
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
    if (carried.abandoned === true) this.#abandon();
    if (carried.cancelReason !== undefined) this.#cancel(carried.cancelReason);
  }

  #start(definition: LoadedDefinition, carried?: CarriedRun): void {
    const { facts } = definition;
    const budget = new RunBudget(facts.budget, this.#input.budget);
    if (carried !== undefined) budget.restore(carried.budget);
    const caller = {
      workflowId: this.#info.workflowId,
      runId: this.#info.runId,
      runner: facts.id,
      lineage: this.#place.lineage,
      origin: this.#place.origin,
      definition: this.#place.definitionRef(definition.hash),
      context: this.#input.context,
      budget,
      forget: (child: string) => this.#forget(child),
    };
    const children = new Children(caller, carried?.children);
    const driven: DrivenRun = {
      input: this.#input,
      info: this.#info,
      place: this.#place,
      definition,
      board: this.#board,
      session: this.#session,
      budget,
      children,
      log: this.#log,
      isAbandoned: () => this.#abandoned,
      onChange: () => this.#show(),
      history: this.#history,
      isAtItsEnd: () => this.#isAtItsEnd,
      continueAsNewIfDue: (progress) => this.#continueAsNewIfDue(progress),
    };
    this.#loaded = { definition, budget, children, driver: createDriver(driven, carried) };
    this.#board.loaded();
    this.#history.loaded();
    if (this.#abandoned) children.abandon();
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
    const turnFacts = this.#input.thread && driver.turnFacts;
    const { kind } = definition.facts;
    const ended = { workflowId: this.#info.workflowId, kind, budget, session: this.#session };
    const result = runResult(planned, { ...ended, turnFacts });
    // Checked before it is published, too: what an update cannot carry would wedge the run.
    const returned = storable(this.#place.isRoot ? result : childResult(planned, ended));
    this.#board.result = result;
    await this.#end('completed');
    if (children.openCount > 0) children.abandon();
    if (!('delta' in returned)) return await this.#save(returned);
    if (children.openCount > 0) await tellCaller({ result: returned });
    await this.#linger();
    return { ...returned, spend: budget.spend };
  }

  async #save(result: AgentRunResult): Promise<AgentRunResult> {
    const { definition } = this.#ready();
    const warnings = await CancellationScope.nonCancellable(() =>
      closeSession(this.#input, definition, this.#session),
    );
    await this.#linger();
    if (warnings.length === 0) return result;
    return { ...result, warnings: [...(result.warnings ?? []), ...warnings] };
  }

  /** The outcome is out, but runs below are still open, which closing would terminate. Nobody is left to answer them. */
  async #linger(): Promise<void> {
    const { children } = this.#ready();
    if (children.openCount === 0) return;
    try {
      await children.closed();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => children.closed());
    }
    await CancellationScope.nonCancellable(() => this.#settle());
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
    this.#board.moving = true;
    await this.#settle();
    const bytes = pack(
      {
        progress,
        board: this.#board.carry(),
        definition,
        session: this.#session.carry(),
        budget: budget.carry(),
        children: children.views,
        ...(this.#abandoned && { abandoned: true }),
        ...(this.#cancelReason !== undefined && { cancelReason: this.#cancelReason }),
      },
      this.#log,
    );
    const runner = runnerId(this.#input.runner);
    const { origin } = this.#place;
    const next: RunInput = { ...withoutStart(this.#input), runner, input: 'continued', origin };
    await makeContinueAsNewFunc<(input: RunInput, carried: Uint8Array) => Promise<AgentRunResult>>(
      carriedMemo(),
    )(next, bytes);
  }

  /** Shows the end, if there is one, and leaves nothing unanswered or untold. */
  async #end(status: RunState['status'] | undefined): Promise<void> {
    if (status !== undefined) {
      this.#board.status = status;
      this.#board.close();
      this.#show();
    }
    // Cancelled calls and children end first: a parent that closed before them would terminate them.
    if (status === 'cancelled' || status === 'failed') {
      await condition(() => this.#loaded?.driver.settled ?? true);
      await this.#loaded?.children.closed();
    }
    await this.#settle();
  }

  async #settle(): Promise<void> {
    await condition(allHandlersFinished);
    await this.#superior?.flush();
  }

  #show(): void {
    this.#display.show(this.#state(), this.#shown());
    this.#superior?.tell(this.#abandoned ? [] : this.#board.pending);
  }

  #shown(): Shown {
    return {
      entries: this.#log.entries,
      children: this.#loaded?.children.views ?? [],
      indexed: this.#loaded?.definition.searchAttributes ?? false,
      key: this.#place.lineage.key ?? [],
      reason: this.#cancelReason,
    };
  }

  /** What an execution before a reset left open below it still speaks up: nobody here called it. */
  #takeInputs({ child, branch = child, inputs }: ChildInputs): void {
    if (this.#loaded?.children.isOpen(branch) !== true) return;
    this.#board.publishChild(child, inputs, branch);
    this.#show();
  }

  #forget(child: string): void {
    if (!this.#place.isRoot) this.#superior?.forget(child);
    this.#board.forgetBranch(child);
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

  #abandonByCaller(): void {
    if (this.#place.isRoot) throw new InvalidInput('no run called this one: cancel it instead');
    this.#abandon();
  }

  #abandon(): void {
    this.#abandoned = true;
    this.#loaded?.children.abandon();
    this.#show();
  }

  #state(): RunState {
    return stateOf({
      board: this.#board,
      progress: this.#loaded?.driver.progress,
      spend: this.#loaded?.budget.spend,
      runner: runnerId(this.#input.runner),
      kind: this.#loaded?.definition.facts.kind,
      path: this.#place.path,
      runId: this.#info.runId,
      logLength: this.#log.length,
    });
  }

  #ready(): Loaded {
    if (this.#loaded === undefined) throw new InternalError('the run is still loading');
    return this.#loaded;
  }
}
