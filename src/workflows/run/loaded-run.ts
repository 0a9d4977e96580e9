// A run with a known definition: what its loop works with, and how it moves to its next execution. The loop is an agent's, or an
// orchestration's.

import { CancellationScope, CancelledFailure, patched } from '@temporalio/workflow';
import { RunBudget } from '../../core/budget/budget';
import { defined } from '../../base';
import type { PlanResult } from '../../core/orchestration/plan';
import { runnerIdOf } from '../../core/runner-refs';
import type { RunInput, Traced } from '../../protocol';
import type { Steering } from '../agent/steering';
import { Children } from '../children/children';
import { Segments } from '../display/segments';
import type { Execution, Progress } from '../lifecycle/execution';
import { carryRequests } from '../lifecycle/requests';
import { continueAsNew } from '../log/history-watch';
import type { RunLog } from '../log/run-log';
import type { Asker } from '../people/open-inputs';
import { PauseNotices } from '../people/pause-notices';
import { type CarriedProgress, type CarriedRun, pack, type ProgressWithin } from './carried-run';
import type { LoadedDefinition } from './load';
import { movedProgress, movedStart, movedState, type MovingLoop } from './migration';
import type { RunPosition } from './run-position';
import type { TurnSummary } from './run-result';
import type { RunSession } from './run-session';

/** The result of a loop. For a turn of a thread, it has the facts that the thread needs. */
export type LoopResult = PlanResult & TurnSummary;

export interface RunLoop extends Partial<MovingLoop>, Asker {
  drive(): Promise<LoopResult>;
  /** True if nothing that it started is still running. */
  readonly noneRunning: boolean;
  readonly progress: Progress;
}

type Parts = Pick<
  LoadedRun,
  'execution' | 'input' | 'position' | 'definition' | 'session' | 'log' | 'steering'
>;

export class LoadedRun {
  readonly execution: Execution;
  readonly input: RunInput;
  readonly position: RunPosition;
  readonly definition: LoadedDefinition;
  readonly session: RunSession;
  readonly log: RunLog;
  readonly steering: Steering;
  readonly budget: RunBudget;
  readonly children: Children;
  readonly notices: PauseNotices;
  /** Only if its worker has telemetry. */
  readonly segments: Segments | undefined;
  #movesTo: LoadedDefinition | undefined;

  constructor(parts: Parts, carried: CarriedRun | undefined) {
    this.execution = parts.execution;
    this.input = parts.input;
    this.position = parts.position;
    this.definition = parts.definition;
    this.session = parts.session;
    this.log = parts.log;
    this.steering = parts.steering;
    this.segments = segmentsOf(parts, carried?.segments);
    this.budget = new RunBudget(parts.definition.config.budget, parts.input.budget);
    if (carried !== undefined) this.budget.restore(carried.budget);
    this.children = new Children(this, carried?.children);
    this.notices = new PauseNotices(this, carried && (carried.notices ?? []));
  }

  /** The span that calls and children of the run are below. */
  get traced(): Traced {
    return this.segments?.traced ?? {};
  }

  /** Names the run that makes a call, and the span above it. */
  get address(): ReturnType<RunPosition['address']> & Traced {
    return { ...this.position.address(this.definition), ...this.traced };
  }

  /** True if a run that waits has to continue as new, or to end for its size. */
  get isAtItsEnd(): boolean {
    const { wasDue, wasOver } = this.execution.history;
    return this.#canMove(wasDue) || wasOver;
  }

  #canMove(isDue: boolean): boolean {
    return this.children.openCount === 0 && (this.#movesTo !== undefined || isDue);
  }

  /** The definition that the next execution will have. */
  get movesTo(): LoadedDefinition | undefined {
    return this.#movesTo;
  }

  /** Continues as new under this definition, when it is between steps. Throws `TranscriptTooLarge` if that is too large to carry. */
  moveTo(to: LoadedDefinition, progress: ProgressWithin): void {
    this.#pack(progress, to);
    this.#movesTo = to;
  }

  /**
   * Call it between steps, with nothing in flight. Continues as new if the history has grown. Otherwise returns undefined: there is nothing
   * to await.
   */
  continueAsNewIfDue(progress: ProgressWithin): Promise<void> | undefined {
    const { history } = this.execution;
    const isMoving = this.#canMove(history.isDue);
    history.stepped();
    if (isMoving) return this.#continueAsNew(progress);
    if (history.isOver) throw history.tooLarge(this.log);
    return undefined;
  }

  async #continueAsNew(progress: ProgressWithin): Promise<void> {
    await this.#leave();
    const to = this.#movesTo;
    const bytes = this.#pack(progress, to);
    const runner = runnerIdOf(this.input.runner);
    const { origin, workflowId } = this.position;
    const next: RunInput = { ...withoutStart(this.input), runner, input: 'continued', origin };
    await continueAsNew(to === undefined ? next : movedStart(next, workflowId, to), bytes);
  }

  /** Throws if the run was halted or cancelled while its last reports were on their way: the next execution would not know of it. */
  async #leave(): Promise<void> {
    const { phase } = this.execution;
    phase.isMoving = true;
    this.execution.showAnswers();
    try {
      await this.execution.settled();
      if (CancellationScope.current().consideredCancelled && staysWhenCancelled())
        throw new CancelledFailure('it does not move');
    } catch (error) {
      if (staysWhenCancelled()) phase.isMoving = false;
      throw error;
    }
  }

  #pack(progress: ProgressWithin, to: LoadedDefinition | undefined): Uint8Array {
    const { phase, cancellation } = this.execution;
    const notices = this.notices.carry();
    const state = {
      requests: carryRequests(this.execution),
      definition: this.definition,
      session: this.session.carry(),
      budget: this.budget.carry(),
      children: this.children.views,
      ...(notices.length > 0 && { notices }),
      ...defined({ segments: this.segments?.carry() }),
      ...this.steering.carry(),
      ...(phase.isDetached && { detached: true }),
      ...defined({ cancelling: cancellation.asked }),
    };
    if (to === undefined) return pack({ ...state, progress }, this.log);
    const moved = (textBytes: number): CarriedProgress =>
      movedProgress(progress(textBytes), this.definition, to);
    return pack({ ...movedState(state, this, to), progress: moved }, this.log);
  }
}

/** In 0.2.0 the run continued as new, and nobody had halted or cancelled it there. */
const staysWhenCancelled = (): boolean => patched('longhaul:cancelled-runs-stay');

function segmentsOf(
  { execution, definition, position, input }: Parts,
  carried: CarriedRun['segments'],
): Segments | undefined {
  const { hash, hooks, config } = definition;
  if (hooks?.includes('telemetry') !== true) return undefined;
  const { isRoot, path, lineage } = position;
  const { hash: short, thread } = position.definitionRef(hash);
  const facts = {
    run: {
      kind: config.kind,
      runner: config.id,
      path,
      root: lineage.root,
      definition: short,
      ...defined({ thread }),
    },
    trace: input.trace,
    isRoot,
    startedAt: execution.info.startTime.getTime(),
  };
  const segments = new Segments(execution.info, facts);
  if (carried !== undefined) segments.restore(carried, execution.phase.status);
  return segments;
}

/** The input of the next execution. Everything else is carried. */
function withoutStart(given: RunInput): Omit<RunInput, 'input'> {
  const { input: _input, inputFrom: _inputFrom, ...rest } = given;
  const { session: _session, sessionFrom: _sessionFrom, ...started } = rest;
  return started;
}
