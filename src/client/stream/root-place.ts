import { kindOfType, LonghaulError } from '../../protocol';
import type { StreamPlace } from '../../core/stream/events';
import { memoOf } from '../read/run-view';
import type { RunSource } from './run-source';

/** The place of a run. A run that a workflow of somebody else started is a root. */
export async function placeOf(
  workflowId: string,
  sourceOf: (workflowId: string) => RunSource,
): Promise<StreamPlace> {
  const source = sourceOf(workflowId);
  const { type, memo, parentExecution } = await source.describe();
  if (kindOfType(type) === undefined) throw noRun(workflowId, type);
  const root = await rootOf(parentExecution, workflowId, sourceOf);
  const { agent, path } = memoOf(memo === undefined ? {} : { memo });
  if (path !== undefined) return { root, workflowId, path, agent };
  const isTurn = parentExecution !== undefined;
  if (agent !== 'unknown' && !isTurn) return { root, workflowId, path: agent, agent };
  // A schedule or another language may start a run without a memo. The path of a turn has its number.
  const state = await source.state();
  return { root, workflowId, path: state?.path ?? agent, agent: state?.runner ?? agent };
}

async function rootOf(
  parent: { readonly workflowId: string | null } | undefined,
  below: string,
  sourceOf: (workflowId: string) => RunSource,
): Promise<string> {
  const workflowId = parent?.workflowId ?? undefined;
  if (workflowId === undefined) return below;
  const { type, parentExecution } = await sourceOf(workflowId).describe();
  if (kindOfType(type) === undefined) return below;
  return await rootOf(parentExecution, workflowId, sourceOf);
}

function noRun(workflowId: string, type: string): LonghaulError {
  return new LonghaulError(
    'RunNotFound',
    `'${workflowId}' is not a run: it is a workflow of type '${type}'. Of a thread, open the run of a turn`,
    { details: { workflowId, workflowType: type } },
  );
}
