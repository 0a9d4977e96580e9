import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { timeouts } from '../../protocol/limits';
import { threadType, workflowTypes } from '../../protocol/names';
import { taskFailure } from '../../client/task-failure';
import { printableLine } from '../printable';
import { clipToWidth } from '../text-width';
import type { Check } from './check';

type StuckRun = { readonly runId: string; readonly attempt: number; readonly cause: string };

const mostDescribed = 50;
const mostShown = 5;
const atATime = 10;
const suspiciousAttempt = 4;
const longestCause = 300;

/** Open runs and threads whose workflow task fails again and again: they do nothing, and the server tries for ever. */
export async function checkStuckRuns(client: Client): Promise<Omit<Check, 'name'>> {
  const deadline = Date.now() + 2 * timeouts.serverCheck;
  const stuck = await client.withDeadline(deadline, () => findStuckRuns(client));
  if (stuck.length === 0) return { status: 'ok', message: 'none' };
  const shown = stuck
    .slice(0, mostShown)
    .map(({ runId, attempt, cause }) => `${runId} (attempt ${attempt}): ${cause}`);
  const more = stuck.length > mostShown ? [`and ${stuck.length - mostShown} more`] : [];
  return {
    status: 'fail',
    message: [...shown, ...more].join('; '),
    todo: 'deploy code that can go on with them, or go back to an event before the change with `temporal workflow reset`',
  };
}

/** Those the server reports come first; it does so after some attempts only, so the newest open runs are looked at as well. */
async function findStuckRuns(client: Client): Promise<readonly StuckRun[]> {
  const types = [...Object.values(workflowTypes), threadType].map((type) => `'${type}'`);
  const open = `WorkflowType IN (${types.join(', ')}) AND ExecutionStatus = 'Running'`;
  const reported = await runIds(client, `${open} AND TemporalReportedProblems IS NOT NULL`).catch(
    (): string[] => [],
  );
  const ids = [...new Set([...reported, ...(await runIds(client, open))])];
  const found: StuckRun[] = [];
  for (let start = 0; start < ids.length; start += atATime) {
    const some = ids.slice(start, start + atATime);
    const looked = await Promise.all(some.map((runId) => lookAt(client, runId)));
    found.push(...looked.filter((run) => run !== undefined));
  }
  return found;
}

async function runIds(client: Client, query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query, pageSize: mostDescribed })) {
    ids.push(workflowId);
    if (ids.length >= mostDescribed) break;
  }
  return ids;
}

/** A run that ended meanwhile is not stuck. */
async function lookAt(client: Client, runId: string): Promise<StuckRun | undefined> {
  let description: WorkflowExecutionDescription;
  try {
    description = await client.workflow.getHandle(runId).describe();
  } catch {
    return undefined;
  }
  const attempt = description.raw.pendingWorkflowTask?.attempt ?? 1;
  if (attempt <= 1) return undefined;
  const failure = await taskFailure(client, runId);
  const cause = failure && clipToWidth(printableLine(failure.message), longestCause);
  // A few lost attempts mean no more than that a worker was killed.
  if (cause === undefined && attempt < suspiciousAttempt) return undefined;
  return { runId, attempt, cause: cause ?? 'no worker finishes the task in time' };
}
