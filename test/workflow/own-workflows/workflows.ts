// A user's own workflow file, as own-workflows.test.ts bundles it.

import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  isCancellation,
  log,
  sleep,
} from '@temporalio/workflow';
import {
  executeRunner,
  startRunner,
  startSpec,
  type RunnerWithSpec,
  type StartRunnerOptions,
} from '../../../src/workflows';

export * from '../../../src/workflows';

/** A runner's answer, and what it left in its session. */
export async function answer(runner: string, input: string, options?: StartRunnerOptions) {
  const { finalResponse, session } = await executeRunner(runner, input, options);
  return { text: finalResponse.text, session };
}

/** A runner beside a timer. */
export async function beside(runner: string, input: string) {
  const run = await startRunner(runner, input);
  await sleep(1);
  log.info('beside the timer', { runner });
  const { finalResponse } = await run.result();
  return { workflowId: run.workflowId, text: finalResponse.text };
}

/** A runner that the workers do not know. */
export async function bySpec(spec: RunnerWithSpec, input: string) {
  const run = await startSpec(spec, input);
  return (await run.result()).finalResponse.text;
}

/** The same run twice, one after the other. */
export async function alike(runner: string, input: string) {
  await executeRunner(runner, input);
  await executeRunner(runner, input);
}

/** How the failure of a runner looks from here. */
export async function failure(runner: string, input: string, options?: StartRunnerOptions) {
  try {
    await executeRunner(runner, input, options);
  } catch (error) {
    const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
    if (cause instanceof ApplicationFailure) return { type: cause.type, details: cause.details };
    throw error;
  }
  return undefined;
}

/** Starts a runner in a scope and cancels the scope; returns whether that was the end of the run. */
export async function cancelled(runner: string, workflowId: string) {
  const scope = new CancellationScope();
  const run = await scope.run(() => startRunner(runner, 'Go', { workflowId }));
  scope.cancel();
  return await run.result().then(() => false, isCancellation);
}
