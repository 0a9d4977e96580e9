// A spec that travelled with a start: taken only where this worker allows it. Whoever may start a run could else call any tool and any
// model that is registered here.

import { Context } from '@temporalio/activity';
import { LonghaulError } from '../../protocol/errors';
import type { RunnerSpec } from '../../protocol/spec';
import { parseRunnerSpec } from '../../define/parse-spec';
import { describe } from '../failures';
import { ownWorkflowId } from './pinned-definition';
import { askRunner } from '../log/read-log';

/** Which run, or thread, was started with a spec. */
export type InlineSpecInfo = {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly namespace: string;
};

/** `true`: any spec is taken. A function is given each valid one, and says. */
export type InlineSpecs =
  boolean | ((spec: RunnerSpec, info: InlineSpecInfo) => boolean | Promise<boolean>);

/** The spec that the current run was started with. Throws `InlineSpecRefused`. */
export async function inlineSpec(inlineSpecs: InlineSpecs | undefined): Promise<RunnerSpec> {
  const workflowId = ownWorkflowId();
  if (inlineSpecs === undefined || inlineSpecs === false) throw refused(workflowId);
  const spec = await askRunner(workflowId);
  if (inlineSpecs === true) return spec;
  const parsed = parseRunnerSpec(spec);
  const { taskQueue, workflowNamespace: namespace } = Context.current().info;
  const isAllowed = await says(() =>
    inlineSpecs(parsed, { workflowId, taskQueue, namespace: namespace ?? '' }),
  );
  if (isAllowed !== true) throw refused(workflowId, parsed.id);
  return parsed;
}

/** Fails closed: who does not say is not asked again. */
async function says(ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    throw new LonghaulError(
      'InlineSpecRefused',
      `inlineSpecs of this worker threw: ${describe(error)}`,
    );
  }
}

function refused(workflowId: string, id?: string): Error {
  const what = id === undefined ? 'a spec' : `the spec '${id}'`;
  return new LonghaulError(
    'InlineSpecRefused',
    `'${workflowId}' was started with ${what}, which this worker does not take: register the runner with the worker and start it by its id, or allow specs with createWorker({ inlineSpecs })`,
  );
}
