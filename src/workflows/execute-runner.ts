// Runs inside a user's own workflow: each is a child workflow, and a topmost run of its own, answered under its own run id.

import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
  uuid4,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { checkRunInput } from '../core/run-input';
import { oneLine } from '../core/text';
import { isJsonObject } from '../protocol/json';
import { limits, timeouts } from '../protocol/limits';
import { memoKey, workflowTypes } from '../protocol/names';
import type { AgentRunResult, RunInput, RunMemo } from '../protocol/run';
import type { RunnerSpec } from '../protocol/spec';

/** A runner by id, as data, or as an object made by `defineAgent` and its like. */
export type RunnerLike = string | RunnerSpec | { readonly spec: RunnerSpec };

export type StartRunnerOptions = Pick<RunInput, 'session' | 'key' | 'budget' | 'context'> & {
  /** The child's workflow id; default `<runner id>-<12 characters>`. */
  readonly runId?: string;
  /** Of Longhaul's workers, where it is not the calling workflow's. */
  readonly taskQueue?: string;
  /** What becomes of the run when the calling workflow closes first. Default: it is terminated. */
  readonly parentClosePolicy?: ParentClosePolicy;
};

/** A run that a workflow of your own started. Its questions are answered as those of any run: by `longhaul.run(runId)`, or the inbox. */
export type StartedRunner = {
  readonly runId: string;
  /** Fails with `ChildWorkflowFailure`; the failure inside has the error's code as its `type`. */
  readonly result: () => Promise<AgentRunResult>;
  readonly handle: ChildWorkflowHandle<(input: RunInput) => Promise<AgentRunResult>>;
};

/**
 * Starts a run from a workflow of your own, and returns once it has started. Cancelling the scope cancels the run.
 *
 * @example
 * const research = await startRunner('researcher', 'Whales');
 * await sleep('1 hour');
 * const { finalResponse } = await research.result();
 */
export async function startRunner(
  runner: RunnerLike,
  input: RunInput['input'],
  options: StartRunnerOptions = {},
): Promise<StartedRunner> {
  const { runId: givenId, taskQueue, parentClosePolicy, ...rest } = options;
  const data = isJsonObject(runner) && 'spec' in runner ? (runner.spec as RunnerSpec) : runner;
  const runInput = { runner: data, input, ...withoutUndefined(rest) } as RunInput;
  checkRunInput(runInput);
  const id = typeof runInput.runner === 'string' ? runInput.runner : runInput.runner.id;
  const kind = typeof runInput.runner === 'string' ? 'agent' : runInput.runner.kind;
  const runId = givenId ?? `${id}-${uuid4().replaceAll('-', '').slice(0, 12)}`;
  const memo: RunMemo = { status: 'running', agent: id, pauseSeq: 0 };
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const handle = await startChild<(input: RunInput) => Promise<AgentRunResult>>(
    workflowTypes[kind],
    {
      workflowId: runId,
      args: [runInput],
      ...(taskQueue !== undefined && { taskQueue }),
      parentClosePolicy: parentClosePolicy ?? ParentClosePolicy.TERMINATE,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      workflowTaskTimeout: timeouts.workflowTask,
      memo: { [memoKey]: memo },
      staticSummary: oneLine(`${id}: ${text}`, limits.summary),
    },
  );
  return { runId, handle, result: () => handle.result() };
}

/** Starts a run from a workflow of your own and waits for its result, through any number of pauses. */
export async function executeRunner(
  runner: RunnerLike,
  input: RunInput['input'],
  options: StartRunnerOptions = {},
): Promise<AgentRunResult> {
  const run = await startRunner(runner, input, options);
  return await run.result();
}

function withoutUndefined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
