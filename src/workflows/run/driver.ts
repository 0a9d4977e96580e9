// What a run drives: an agent's loop or an orchestration. The run gives it what every run has.

import type { RunSession } from './run-session';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { RunBudget } from '../../core/budget/budget';
import type { PlanResult } from '../../core/orchestration/plan';
import type { AgentRunResult, InputAnswer, RunInput, RunState } from '../../protocol/run';
import type { ProgressWithin } from './carried-run';
import type { Children } from '../children/children';
import type { HistoryWatch } from '../execution/history-watch';
import type { LoadedDefinition } from './load';
import type { PendingRequests } from '../execution/pending-requests';
import type { RunLog } from '../execution/run-log';
import type { RunPosition } from './run-position';

/** What a driver is given. */
export type DrivenRun = {
  readonly input: RunInput;
  readonly info: WorkflowInfo;
  readonly position: RunPosition;
  readonly definition: LoadedDefinition;
  readonly requests: PendingRequests;
  readonly session: RunSession;
  readonly budget: RunBudget;
  readonly children: Children;
  readonly log: RunLog;
  /** Nobody needs the result any more: nobody will answer. */
  readonly isDetached: () => boolean;
  /** Something that is seen of the run has changed. */
  readonly onChange: () => void;
  readonly history: HistoryWatch;
  /** The next time between steps it goes on in another execution, or ends for its size: who waits for a person wakes. */
  readonly isAtItsEnd: () => boolean;
  /** Between steps, with nothing in flight. Goes on in another execution where the history has grown; else there is nothing to await. */
  readonly continueAsNewIfDue: (progress: ProgressWithin) => Promise<void> | undefined;
};

export type Progress = Pick<RunState, 'turn' | 'iterations'>;

export type TurnSummary = Pick<AgentRunResult, 'contextTokens' | 'toolCalls'>;

export interface Driver {
  drive(): Promise<PlanResult>;
  /** An answer for this run itself. */
  feed(answer: InputAnswer): void;
  /** Nothing it started is under way. */
  readonly noneRunning: boolean;
  readonly progress: Progress;
  /** What a thread is told of its turn beside the result. */
  readonly turnSummary?: TurnSummary;
}
