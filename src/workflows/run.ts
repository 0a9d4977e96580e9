// One run of any kind: loads its definition, drives it to its end, and closes in order.
//
// 1. The constructor sets all handlers, before the first await.
// 2. The outcome is out before the run saves anything. Nothing can cancel the save, and a failed save does not fail the run.
// 3. A run closes after all its children, and after everyone who waits has an answer.
// 4. A halted run starts nothing more and does not end. Only a reset or a cancellation follows.
// 5. A child returns its session changes and its spend. Only the root run returns a session.

import {
  CancellationScope,
  condition,
  ContinueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import { defined } from '../base/json';
import { isSpent } from '../core/budget/spend';
import { AgentMachine, startMachine } from '../core/machine/agent-machine';
import { isOfNewerVersion } from '../core/stored-format';
import { createPlan, restorePlan } from '../core/orchestration/create-plan';
import type { PlanResult } from '../core/orchestration/plan';
import { runnerAddress, runnerIdOf } from '../core/runner-refs';
import { LonghaulError } from '../protocol/errors';
import { updateNames } from '../protocol/names';
import type {
  AgentRunResult,
  ChildInputs,
  ChildOutcome,
  ChildResult,
  RunInput,
} from '../protocol/run';
import { AgentLoop } from './agent/agent-loop';
import { Steering } from './agent/steering';
import { failureCode, reported } from './children/child-failure';
import { storable, toWorkflowFailure } from './durable';
import { hintAtCancelledCalls } from './lifecycle/cancel-hint';
import { Execution, type RunEnd, type View } from './lifecycle/execution';
import { setHandlers } from './lifecycle/handlers';
import { setSteering, tooLate } from './agent/steer-handlers';
import { InputReporter, reportToCaller } from './children/messages';
import type { EndStatus } from './people/pending-requests';
import { Segments } from './display/segments';
import { carriedEntries, RunLog } from './log/run-log';
import type { WorkflowArguments, Taken } from './lifecycle/start';
import { OrchestrationLoop } from './orchestration/orchestration-loop';
import { unpack, type CarriedRun } from './run/carried-run';
import { DrivenRun, type Driver } from './run/loaded-run';
import { closeSession, openStart, resolveDefinition, savesSession, takeRunStart } from './run/load';
import type { LoadedDefinition } from './run/load';
import { machineOptions, promptOf } from './run/machine-options';
import { Migrations } from './run/migration';
import { setRunHandlers, type HandledRun } from './run/run-handlers';
import { RunPosition } from './run/run-position';
import { childResult, runResult } from './run/run-result';
import { RunSession } from './run/run-session';

export class Run implements HandledRun {
  readonly session = new RunSession();
  readonly #steering = new Steering();
  readonly #info = workflowInfo();
  readonly #started: Taken<RunInput>;
  readonly #position: RunPosition;
  readonly #execution: Execution;
  readonly #migrations: Migrations;
  readonly #carried: CarriedRun | undefined;
  /** Why the carried state could not be read. */
  #unreadable: Error | undefined;
  readonly #work = new CancellationScope();
  #log = new RunLog(this.#info);
  #driven: DrivenRun | undefined;
  #driver: Driver | undefined;

  constructor(given: WorkflowArguments) {
    this.#started = takeRunStart(given, this.#info);
    this.#position = new RunPosition(this.#started.given, this.#info);
    const isContinued = this.#started.refused === undefined && this.#started.carried !== undefined;
    this.#execution = new Execution(this, InputReporter.of(this.#position, isContinued));
    this.#carried = this.#readCarried();
    setHandlers(this.#execution, this);
    this.#migrations = new Migrations(this, this.#execution);
    setRunHandlers(this, this.#execution);
    setSteering(this.#steering, this.#execution, this.given.thread !== undefined);
  }

  /** The first task may bring an answer, so the run must know what it asked before it sets its handlers. */
  #readCarried(): CarriedRun | undefined {
    const { refused } = this.#started;
    if (refused !== undefined || this.#started.carried === undefined) return undefined;
    try {
      const carried = unpack(this.#started.carried);
      this.#execution.requests.restore(carried.requests);
      return carried;
    } catch (error) {
      this.#unreadable = error as Error;
      return undefined;
    }
  }

  get given(): Omit<RunInput, 'input'> {
    return this.#started.given;
  }

  get log(): RunLog {
    return this.#log;
  }

  get driven(): DrivenRun | undefined {
    return this.#driven;
  }

  get driver(): Driver | undefined {
    return this.#driver;
  }

  /** What it was started with, or the spec of a migration that a worker is about to load. */
  get runner(): RunInput['runner'] {
    return this.#migrations.loading ?? this.given.runner;
  }

  get view(): View {
    const { definition, budget, children } = this.#driven ?? {};
    return {
      runner: runnerIdOf(this.given.runner),
      kind: definition?.config.kind,
      path: this.#position.path,
      key: this.#position.lineage.key ?? [],
      progress: this.#driver?.progress,
      spend: budget?.spend,
      log: this.#log,
      children: children?.views ?? [],
      indexed: definition?.searchAttributes ?? false,
      hooks: definition?.hooks,
      ...this.#position.application,
    };
  }

  async run(): Promise<AgentRunResult | ChildResult> {
    try {
      const { run, driver } = await this.#load();
      return this.#withSteered(await this.#finish(run, driver, await this.#driveOn(driver)));
    } catch (error) {
      if (isOfNewerVersion(error)) throw error;
      const isOver = error instanceof ContinueAsNew || this.#execution.requests.ended;
      const status = isCancellation(error) ? 'cancelled' : 'failed';
      // Cancels open work and waits for it. If the run closed first, the server would terminate that work, and its spend would be lost.
      if (!isOver) {
        CancellationScope.current().cancel();
        hintAtCancelledCalls();
      }
      const end = { error: failureCode(error) };
      await CancellationScope.nonCancellable(() => this.#end(isOver ? undefined : status, end));
      throw await this.#failure(error);
    }
  }

  /** A called run tells its caller what it has spent, even if it fails. */
  async #failure(error: unknown): Promise<unknown> {
    const { isRoot } = this.#position;
    if (this.#driven === undefined || (isRoot && this.given.thread === undefined)) return error;
    const { spend } = this.#driven.budget;
    if (!isRoot && isCancellation(error) && isSpent(spend))
      await CancellationScope.nonCancellable(() => reportToCaller({ spend }));
    return reported(toWorkflowFailure(error), spend, this.#steered);
  }

  /** Only a thread asks which of its messages the model got. */
  get #steered(): readonly string[] {
    return this.given.thread === undefined ? [] : this.#steering.read;
  }

  #withSteered<Result extends AgentRunResult | ChildResult>(result: Result): Result {
    const steered = this.#steered;
    return steered.length === 0 ? result : { ...result, steered };
  }

  async #load(): Promise<{ readonly run: DrivenRun; readonly driver: Driver }> {
    if (this.#started.refused !== undefined) throw this.#started.refused;
    if (this.#unreadable !== undefined) throw this.#unreadable;
    const { given } = this.#started;
    if (this.#carried !== undefined) return await this.#restore(given, this.#carried);
    const { definition, clientTools } = given;
    const loaded = await resolveDefinition({
      ...runnerAddress(given),
      ...(clientTools && { clientTools: true }),
      ...(definition && { definition }),
    });
    const { session, version, input } = await openStart(given, loaded);
    this.session.start(session, version);
    return this.#start({ ...given, input }, loaded);
  }

  async #restore(
    input: RunInput,
    carried: CarriedRun,
  ): Promise<{ readonly run: DrivenRun; readonly driver: Driver }> {
    this.#steering.restore(carried.steering);
    const entries = await carriedEntries(carried);
    this.session.restore(carried.session);
    this.#log = new RunLog({ ...this.#info, entries });
    const started = this.#start(input, carried.definition, carried);
    if (carried.detached === true) this.#detach();
    if (carried.cancelling !== undefined) this.#execution.cancel(carried.cancelling);
    return started;
  }

  #start(
    input: RunInput,
    definition: LoadedDefinition,
    carried?: CarriedRun,
  ): { readonly run: DrivenRun; readonly driver: Driver } {
    const { requests, history } = this.#execution;
    const parts = {
      execution: this.#execution,
      input,
      position: this.#position,
      definition,
      session: this.session,
      log: this.#log,
      steering: this.#steering,
    };
    this.#execution.segments = this.#segments(definition, carried);
    const run = new DrivenRun(parts, carried);
    const driver = createDriver(run, carried);
    [this.#driven, this.#driver] = [run, driver];
    if (definition.config.kind === 'agent') this.#steering.open();
    requests.loaded();
    history.loaded();
    if (requests.isDetached) run.children.detach();
    return { run, driver };
  }

  #segments(
    { hash, hooks, config }: LoadedDefinition,
    carried: CarriedRun | undefined,
  ): Segments | undefined {
    if (hooks?.includes('telemetry') !== true) return undefined;
    const { isRoot, path, lineage } = this.#position;
    const { hash: definition, thread } = this.#position.definitionRef(hash);
    const run = { kind: config.kind, runner: config.id, path, root: lineage.root, definition };
    const segments = new Segments(this.#info, {
      run: { ...run, ...defined({ thread }) },
      trace: this.given.trace,
      isRoot,
      startedAt: this.#info.startTime.getTime(),
    });
    if (carried?.segments) segments.restore(carried.segments, this.#execution.requests.status);
    return segments;
  }

  /** A halted run waits for a reset to before the halt, or for someone outside to end it. */
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

  async #finish(
    run: DrivenRun,
    driver: Driver,
    planned: PlanResult,
  ): Promise<AgentRunResult | ChildResult> {
    const { children, budget, input, session, definition } = run;
    const { workflowId } = this.#info;
    const ended = { workflowId, kind: definition.config.kind, budget, session };
    const result = runResult(planned, {
      ...ended,
      turnSummary: input.thread && driver.turnSummary,
    });
    // Checked before it is published, too: an update that cannot carry the result would wedge the run.
    const { isRoot } = this.#position;
    const returned = storable(
      isRoot ? result : childResult(planned, ended, children.otherSpeakers),
    );
    const closes = children.openCount === 0 && !(isRoot && savesSession(input, definition));
    await this.#end('completed', { result, closes });
    if (children.openCount > 0) children.detach();
    if (!('delta' in returned)) return await this.#save(run, returned);
    if (children.openCount > 0) await reportToCaller({ result: returned });
    await this.#waitForChildren(run);
    return { ...returned, spend: budget.spend };
  }

  async #save(run: DrivenRun, result: AgentRunResult): Promise<AgentRunResult> {
    const warnings = await CancellationScope.nonCancellable(() =>
      closeSession(run.input, run.definition, run.session),
    );
    await this.#waitForChildren(run);
    if (warnings.length === 0) return result;
    return { ...result, warnings: [...(result.warnings ?? []), ...warnings] };
  }

  /** The outcome is out, but runs below are still open, and closing would terminate them. Nobody is left to answer them. */
  async #waitForChildren({ children }: DrivenRun): Promise<void> {
    if (children.openCount === 0) return;
    try {
      await children.closed();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => children.closed());
    }
    await CancellationScope.nonCancellable(() => this.#execution.settled());
  }

  /** Shows the end, if there is one. Answers everyone who waits and sends all reports. */
  async #end(status: EndStatus | undefined, end?: RunEnd): Promise<void> {
    if (status !== undefined) {
      const { hasUnread, unread } = this.#steering;
      if (hasUnread) this.#execution.refuse(updateNames.send, tooLate(unread));
      this.#execution.end(status, end);
    }
    // Cancelled calls and children end first. If their parent closed first, the server would terminate them.
    if (status === 'cancelled' || status === 'failed') {
      await condition(() => this.#driver?.noneRunning ?? true);
      await this.#driven?.children.closed();
    }
    await this.#execution.settled();
  }

  /**
   * Ignores a child that an execution before a reset left open. It may still report what it waits for, but this execution did not call it.
   */
  takeInputs({ child, branch = child, inputs }: ChildInputs): void {
    if (this.#driven?.children.isOpen(branch) !== true) return;
    const isOver = this.#execution.requests.ended || isCancelled();
    if (isOver && inputs.length > 0) return this.#cancelAgain(branch, child);
    this.#execution.requests.publishChild(child, inputs, branch);
    this.#execution.show();
  }

  /** Nobody will answer: this run is over, or cancelled. A run below that was reset since then has lost its own cancellation. */
  #cancelAgain(...runs: readonly string[]): void {
    const ownRuns = [...new Set(runs)].filter((run) => run.startsWith(this.#position.workflowId));
    CancellationScope.nonCancellable(() =>
      Promise.all(ownRuns.map((run) => getExternalWorkflowHandle(run).cancel())),
    ).catch(() => undefined);
  }

  takeOutcome(outcome: ChildOutcome): void {
    this.#driven?.children.takeOutcome(outcome);
  }

  detachByCaller(): void {
    if (this.#position.isRoot)
      throw new LonghaulError('InvalidInput', 'no run called this one: cancel it instead');
    this.#detach();
  }

  #detach(): void {
    this.#execution.requests.detach();
    this.#driven?.children.detach();
    this.#execution.show();
  }

  halt(): void {
    this.#work.cancel();
    hintAtCancelledCalls();
  }
}

const isCancelled = (): boolean => CancellationScope.current().consideredCancelled;

/** Makes the driver for the run's kind. It starts at the beginning, or where an earlier execution stopped. */
function createDriver(run: DrivenRun, carried: CarriedRun | undefined): Driver {
  const { config } = run.definition;
  const { input } = run.input;
  if (config.kind === 'agent') {
    const machine = carried?.machine
      ? AgentMachine.fromJSON(carried.machine, run.log)
      : startMachine(promptOf(input), machineOptions(config), run.log);
    return new AgentLoop(run, { config, machine, carried });
  }
  const plan = carried?.plan
    ? restorePlan(config, carried.plan)
    : createPlan(config, { input, session: run.session.value });
  return new OrchestrationLoop(run, { config, plan });
}
