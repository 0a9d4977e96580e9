// Gets a spec that was sent with a start or a migration. A worker takes the spec only if its options allow it. Otherwise anybody who may
// start a run could call every tool and every model of the worker.

import { Context } from '@temporalio/activity';
import { LonghaulError, type RunnerSpec } from '../../protocol';
import { parseRunnerSpec } from '../../define';
import { describeError } from '../failures';
import { ownWorkflowId } from './pinned-definition';
import { askRunner } from '../log/read-log';

/** The run or thread that was started with a spec. */
export type InlineSpecInfo = {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly namespace: string;
};

/** `true` takes every spec. A function decides about each valid spec. */
export type InlineSpecs =
  boolean | ((spec: RunnerSpec, info: InlineSpecInfo) => boolean | Promise<boolean>);

/** The spec that the current run was started with, or is to move to. Throws `InlineSpecRefused`. */
export async function inlineSpec(inlineSpecs: InlineSpecs | undefined): Promise<RunnerSpec> {
  const workflowId = ownWorkflowId();
  if (inlineSpecs === undefined || inlineSpecs === false) throw refused(workflowId);
  const spec = await askRunner(workflowId);
  if (inlineSpecs === true) return spec;
  const parsed = parseRunnerSpec(spec);
  const { taskQueue, workflowNamespace: namespace } = Context.current().info;
  const isAllowed = await answerOf(() =>
    inlineSpecs(parsed, { workflowId, taskQueue, namespace: namespace ?? '' }),
  );
  if (isAllowed !== true) throw refused(workflowId, parsed.id);
  return parsed;
}

async function answerOf(ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    throw new LonghaulError(
      'InlineSpecRefused',
      `inlineSpecs of this worker threw: ${describeError(error)}`,
      { cause: error },
    );
  }
}

function refused(workflowId: string, id?: string): Error {
  const what = id === undefined ? 'a spec' : `the spec '${id}'`;
  return new LonghaulError(
    'InlineSpecRefused',
    `'${workflowId}' is to run ${what}, which this worker does not take. Register the runner with the worker and name it by its id, or allow specs with createWorker({ inlineSpecs })`,
  );
}
