// Runs one agent or one orchestration, as the root run or as a child: loads its definition, drives its loop, ends and closes. It takes the
// workflow's arguments, with carried state after continue-as-new, and returns the result or throws the failure.
//
// 1. The constructor sets all handlers, before the first await. Until the definition is known, `loaded` is undefined, and handlers that
//    need it wait.
// 2. Every execution closes through `endRun`: `completeRun` calls it after a result, `run` after an error or continue-as-new. After an
//    error, open work is cancelled first, and `endRun` waits for that work.
// 3. A halted run starts nothing more and does not end. Only a reset or a cancellation follows.

import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  ContinueAsNew,
  isCancellation,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import { defined } from '../base';
import { runnerAddress, runnerIdOf } from '../core/runner-refs';
import { isOfNewerVersion } from '../core/stored-format';
import type { AgentRunResult, ChildInputs, ChildResult, RunInput } from '../protocol';
import { Steering } from './agent/steering';
import { setSteering } from './agent/steer-handlers';
import { failureCode } from './children/child-failure';
import { cancelRun } from './children/child-start';
import { InputReporter } from './children/messages';
import { hintAtCancelledCalls } from './lifecycle/cancellation';
import { Execution, type Owner, type View } from './lifecycle/execution';
import { setHandlers } from './lifecycle/handlers';
import { type Taken, withCarried, type WorkflowArguments } from './lifecycle/start';
import { carriedEntries, RunLog } from './log/run-log';
import { type CarriedRun, unpack } from './run/carried-run';
import { createLoop } from './run/create-loop';
import { completeRun, endRun, failureOf, type Loaded } from './run/end-run';
import { openStart, resolveDefinition, takeRunStart } from './run/load';
import { LoadedRun, type LoopResult, type RunLoop } from './run/loaded-run';
import { type Migrating, setMigrate } from './run/migration';
import { setRunHandlers, type HandledRun } from './run/run-handlers';
import { RunPosition } from './run/run-position';
import { RunSession } from './run/run-session';

/** A cancelled call whose worker is gone ends by its heartbeat timeout, and one whose code answers by an error fails. */
function isOfCancelledCall(error: unknown): boolean {
  if (!(error instanceof ActivityFailure) || error.retryState !== 'CANCEL_REQUESTED') return false;
  return (
    !isCancellation(error) &&
    CancellationScope.current().consideredCancelled &&
    patched('longhaul:cancelled-calls-may-fail')
  );
}

export class Run implements HandledRun, Owner {
  readonly #start: Taken<RunInput, CarriedRun>;
  readonly position: RunPosition;
  readonly execution: Execution;
  readonly steering: Steering;
  readonly #migrating: Readonly<Migrating>;
  readonly #work = new CancellationScope();
  readonly #newLog = new RunLog(workflowInfo());
  #loaded: Loaded | undefined;

  constructor(given: WorkflowArguments) {
    const info = workflowInfo();
    this.#start = withCarried(takeRunStart(given, info), unpack);
    const { carried } = this.#start;
    this.position = new RunPosition(this.given, info);
    this.execution = new Execution(this, {
      carried: carried?.requests,
      reporter: InputReporter.of(this.position, carried !== undefined),
    });
    this.steering = new Steering(carried?.steering);
    if (carried?.cancelling !== undefined && patched('longhaul:cancelled-from-the-start'))
      this.execution.cancellation.know(carried.cancelling);
    setHandlers(this.execution);
    this.#migrating = setMigrate(this, this.execution);
    setRunHandlers(this);
    setSteering(this.steering, this.execution, this.given.thread !== undefined);
  }

  get given(): Omit<RunInput, 'input'> {
    return this.#start.given;
  }

  get log(): RunLog {
    return this.#loaded?.run.log ?? this.#newLog;
  }

  get loaded(): Loaded | undefined {
    return this.#loaded;
  }

  /** What it was started with, or the spec of a migration that a worker is about to load. */
  get runner(): RunInput['runner'] {
    return this.#migrating.loading ?? this.given.runner;
  }

  get view(): View {
    const { run, loop } = this.#loaded ?? {};
    const { path, lineage, application } = this.position;
    return {
      runner: runnerIdOf(this.given.runner),
      kind: run?.definition.config.kind,
      path,
      key: lineage.key ?? [],
      progress: loop?.progress,
      spend: run?.budget.spend,
      log: this.log,
      children: run?.children.views ?? [],
      indexed: run?.definition.searchAttributes ?? false,
      hooks: run?.definition.hooks,
      segments: run?.segments,
      ...application,
    };
  }

  async run(): Promise<AgentRunResult | ChildResult> {
    try {
      const loaded = await this.#load();
      return await completeRun(loaded, await this.#drive(loaded.loop));
    } catch (thrown) {
      if (isOfNewerVersion(thrown)) throw thrown;
      const error = isOfCancelledCall(thrown) ? new CancelledFailure('Workflow cancelled') : thrown;
      const isOver = error instanceof ContinueAsNew || this.execution.phase.ended;
      const status = isCancellation(error) ? 'cancelled' : 'failed';
      // Cancels open work and waits for it. If the run closed first, the server would terminate that work, and its spend would be lost.
      if (!isOver) {
        CancellationScope.current().cancel();
        hintAtCancelledCalls();
      }
      const end = { error: failureCode(error) };
      await CancellationScope.nonCancellable(() => endRun(this, isOver ? undefined : status, end));
      throw await failureOf(this.#loaded, error);
    }
  }

  async #load(): Promise<Loaded> {
    if (this.#start.refused !== undefined) throw this.#start.refused;
    const { given, carried } = this.#start;
    if (carried !== undefined) return await this.#restore(given, carried);
    const clientTools = given.clientTools && true;
    const definition = await resolveDefinition({
      ...runnerAddress(given),
      ...defined({ clientTools, definition: given.definition }),
    });
    const { session: value, version, input } = await openStart(given, definition);
    const session = new RunSession({
      initial: value,
      value,
      ...defined({ version }),
      deferred: [],
    });
    return this.#begin({ input: { ...given, input }, definition, session, log: this.#newLog });
  }

  async #restore(input: RunInput, carried: CarriedRun): Promise<Loaded> {
    const entries = await carriedEntries(carried);
    const session = new RunSession(carried.session);
    const log = new RunLog({ ...workflowInfo(), entries });
    const { definition } = carried;
    const loaded = this.#begin({ input, definition, session, log }, carried);
    if (carried.detached === true) this.detach();
    if (carried.cancelling !== undefined) this.execution.cancellation.ask(carried.cancelling);
    return loaded;
  }

  #begin(
    parts: Pick<LoadedRun, 'input' | 'definition' | 'session' | 'log'>,
    carried?: CarriedRun,
  ): Loaded {
    const { execution, position, steering } = this;
    const run = new LoadedRun({ ...parts, execution, position, steering }, carried);
    const loop = createLoop(run, carried);
    this.#loaded = { run, loop };
    execution.loaded(loop);
    if (execution.phase.isDetached) run.children.detach();
    return this.#loaded;
  }

  /** A halted run waits for a reset to before the halt, or for someone outside to end it. */
  async #drive(loop: RunLoop): Promise<LoopResult> {
    try {
      return await this.#work.run(() => loop.drive());
    } catch (error) {
      const isHalted = this.#work.consideredCancelled && !isCancelled();
      if (!isHalted || error instanceof ContinueAsNew) throw error;
      await condition(() => false);
      throw error;
    }
  }

  /**
   * Ignores a child that an execution before a reset left open. Such a child may still report its open inputs, but this execution did not
   * call it.
   */
  takeInputs({ child, branch = child, inputs }: ChildInputs): void {
    if (this.#loaded?.run.children.isOpen(branch) !== true) return;
    const isOver = this.execution.phase.ended || isCancelled();
    if (isOver && inputs.length > 0) return this.#cancelAgain(branch, child);
    this.execution.inputs.publishChild(child, inputs, branch);
    this.execution.show();
  }

  /**
   * This run is over or cancelled, so nobody will answer. A run below that was reset after the cancellation does not know of it, so it is
   * cancelled again.
   */
  #cancelAgain(...runs: readonly string[]): void {
    const ownRuns = [...new Set(runs)].filter((run) => run.startsWith(this.position.workflowId));
    for (const run of ownRuns) cancelRun(run);
  }

  /** Nobody needs the result any more. */
  detach(): void {
    this.execution.phase.isDetached = true;
    this.#loaded?.run.children.detach();
    this.execution.show();
  }

  /** Starts nothing more. */
  halt(): void {
    this.#work.cancel();
    hintAtCancelledCalls();
  }
}

const isCancelled = (): boolean => CancellationScope.current().consideredCancelled;
