// Starts runs from a user's own workflow. Each is a child workflow and a root run: answer it under its own workflow id.
//
// 1. Every error fails the calling workflow with its code. A plain error would repeat the workflow task for ever.
// 2. After a reset of the calling workflow, a restarted run has the same origin as before. If several runs start alike, their order
//    distinguishes them.
// 3. A workflow file may export the functions. They are then workflow types too, and do the same.

import {
  type ParentClosePolicy,
  startChild,
  uuid4,
  WorkflowIdReusePolicy,
  workflowInfo,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { defined, hashOf } from '../../base';
import { keyHashes } from '../../core/key-hashes';
import { withApplication } from '../../core/stored-key';
import { callerOrigin, originBelow } from '../../core/origin';
import { checkRunInput } from '../../core/run-input';
import {
  checkWorkflowId,
  knownId,
  sentSpec,
  toRunInput,
  workflowTypeOf,
} from '../../core/run-start';
import {
  type AgentRunResult,
  type KnownRunner,
  LonghaulError,
  type RunInput,
  type RunnerWithSpec,
  type RunTypes,
  type TypeOf,
} from '../../protocol';
import { toWorkflowFailure } from '../durable';
import { cancelWithScope, childOptions, type ChildOptions } from './child-start';

/** Options of `startRunner`, `startSpec` and `executeRunner`. `session` may have up to 64 KiB, `context` up to 16 KiB. */
export type StartRunnerOptions<Types extends RunTypes = RunTypes> = Pick<
  RunInput,
  'key' | 'budget' | 'application' | 'by'
> & {
  readonly session?: TypeOf<Types, 'session'>;
  readonly context?: TypeOf<Types, 'context'>;
  /**
   * The workflow id of the run. Default: `<runner id>-<12 characters>`. Fails with `RunAlreadyExists` if a run with this id is open or has
   * completed.
   */
  readonly workflowId?: string;
  /** The task queue of Longhaul's workers. Default: the calling workflow's. */
  readonly taskQueue?: string;
  /** What happens to the run if the calling workflow closes first. Default: Temporal terminates the run. */
  readonly parentClosePolicy?: ParentClosePolicy;
};

/** A run that your own workflow started. Answer its questions as for any run: with `longhaul.run(workflowId)`, or from the inbox. */
export type StartedRunner<Types extends RunTypes = RunTypes> = {
  readonly workflowId: string;
  /** Waits for the result. Fails with a `ChildWorkflowFailure`; the `type` of its cause is the error's code. */
  readonly result: () => Promise<AgentRunResult<Types>>;
  readonly handle: ChildWorkflowHandle<RunFunction<Types>>;
};

type RunFunction<Types extends RunTypes> = (input: RunInput) => Promise<AgentRunResult<Types>>;

/**
 * Starts a run from your own workflow, as a child workflow. Returns when the run has started. `runner` is the id of a runner that the
 * workers know, or the runner itself: only its id travels. Cancelling the scope cancels the run.
 *
 * @example
 * const research = await startRunner('researcher', 'Whales');
 * await sleep('1 hour');
 * const { finalResponse } = await research.result();
 */
export async function startRunner<Types extends RunTypes = RunTypes>(
  runner: KnownRunner<Types>,
  input: RunInput['input'],
  options: StartRunnerOptions<Types> = {},
): Promise<StartedRunner<Types>> {
  return await startRun(() => [knownId(runner), workflowTypeOf(runner)], input, options);
}

/**
 * Like `startRunner`, but sends a whole spec. The spec may name anything that the worker has. Workers refuse it with `InlineSpecRefused`
 * unless their option `inlineSpecs` allows it. Never pass on a spec that a user sent.
 */
export async function startSpec<Types extends RunTypes = RunTypes>(
  runner: RunnerWithSpec<Types>,
  input: RunInput['input'],
  options: StartRunnerOptions<Types> = {},
): Promise<StartedRunner<Types>> {
  return await startRun(() => [sentSpec(runner), workflowTypeOf(runner)], input, options);
}

/** Starts a run from your own workflow and waits for its result, through any number of pauses. */
export async function executeRunner<Types extends RunTypes = RunTypes>(
  runner: KnownRunner<Types>,
  input: RunInput['input'],
  options: StartRunnerOptions<Types> = {},
): Promise<AgentRunResult<Types>> {
  const run = await startRunner(runner, input, options);
  return await run.result();
}

async function startRun<Types extends RunTypes>(
  read: () => readonly [runner: RunInput['runner'], type: string],
  input: RunInput['input'],
  options: StartRunnerOptions<Types>,
): Promise<StartedRunner<Types>> {
  try {
    const [runner, type] = read();
    const { application } = options;
    const runInput = {
      ...toRunInput(runner, input, options as object),
      ...defined({ application }),
    };
    checkRunInput(runInput);
    const child = childOf(runInput, options);
    const handle = await startChild<RunFunction<Types>>(type, child);
    cancelWithScope(handle);
    return { workflowId: child.workflowId, handle, result: () => handle.result() };
  } catch (error) {
    throw toWorkflowFailure(
      error instanceof WorkflowExecutionAlreadyStartedError ? exists(error) : error,
    );
  }
}

function childOf(
  runInput: RunInput,
  {
    workflowId: given,
    taskQueue,
    parentClosePolicy,
  }: Omit<StartRunnerOptions, 'session' | 'context'>,
): ChildOptions {
  const { runner, application = taskQueue ?? workflowInfo().taskQueue } = runInput;
  const id = typeof runner === 'string' ? runner : runner.id;
  const key = keyHashes(withApplication(runInput.key, application));
  const workflowId = given ?? `${id}-${uuid4().replaceAll('-', '').slice(0, 12)}`;
  checkWorkflowId(workflowId);
  return {
    ...childOptions(
      workflowId,
      { ...runInput, origin: originOf(runInput, given) },
      { memo: { agent: id, key }, title: id },
    ),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
    ...defined({ taskQueue, parentClosePolicy }),
  };
}

/** How many runs this workflow has started with the same input, by the digest of the input. */
// eslint-disable-next-line no-restricted-syntax -- This module is not one of `sharedModules`: its state belongs to one workflow.
const startedAlike = new Map<string, number>();

function originOf(runInput: RunInput, given: string | undefined): string {
  const origin = callerOrigin(workflowInfo());
  if (given !== undefined) return originBelow(origin, 'run', given);
  const digest = hashOf(JSON.stringify(runInput));
  const count = (startedAlike.get(digest) ?? 0) + 1;
  startedAlike.set(digest, count);
  return originBelow(origin, 'input', digest, String(count));
}

function exists({ workflowId }: WorkflowExecutionAlreadyStartedError): LonghaulError {
  return new LonghaulError(
    'RunAlreadyExists',
    `Run '${workflowId}' is open or has completed: start this one under another workflowId.`,
    {
      details: { workflowId },
    },
  );
}
