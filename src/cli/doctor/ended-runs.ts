// Runs that ended as none should, and those that begin again and again. Nobody may have waited for them, so nobody was told.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { lastEvents } from '../../client/history-events';
import { timeouts } from '../../protocol/limits';
import { printableLine } from '../render/printable';
import { causeLine, type Check, listNewest, lookAtEach, ofOurs, summary } from './look';

const mostEnded = 100;
const mostExecutions = 2_000;
const mostMs = 20_000;
const usualExecutions = 20;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Errors that say of Longhaul, or of sizes it is to keep, what an answer of a tool or a model never does. */
const ourErrors: ReadonlySet<string> = new Set([
  'StateError',
  'TranscriptTooLarge',
  'PayloadTooLarge',
  'InternalError',
]);
const byItsCaller = 'by parent close policy';

/** Ended within a day, and nothing took their place. */
export async function checkEndedRuns(client: Client): Promise<Omit<Check, 'name'>> {
  const since = `CloseTime > '${ago(dayMs)}'`;
  const terminated = await listNewest(
    client,
    `${ofOurs} AND ExecutionStatus = 'Terminated' AND ${since}`,
    mostEnded,
  );
  const failed = await listNewest(
    client,
    `${ofOurs} AND ExecutionStatus = 'Failed' AND ${since}`,
    mostEnded,
  );
  const ended = [...terminated.executions, ...failed.executions];
  const { found, looked } = await lookAtEach(ended, Date.now() + mostMs, (execution) =>
    client.withDeadline(Date.now() + timeouts.serverCheck, () => badEnd(client, execution)),
  );
  const isAll = terminated.isAll && failed.isAll && looked === ended.length;
  const message = summary(
    found,
    isAll ? undefined : `looked at ${looked} that were terminated or failed today, not at all`,
  );
  if (found.length === 0) return { status: 'ok', message };
  const todo = 'see what they did with `longhaul show`, and start them again if they are needed';
  return { status: 'warn', message, todo };
}

async function badEnd(
  client: Client,
  { workflowId, runId }: WorkflowExecutionInfo,
): Promise<string | undefined> {
  const how = await howItEnded(client, { workflowId, runId });
  if (how === undefined) return undefined;
  // A reset terminates the execution that it takes back.
  const newest = await client.workflow.getHandle(workflowId).describe();
  return newest.runId === runId ? `${printableLine(workflowId)}: ${how}` : undefined;
}

async function howItEnded(
  client: Client,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<string | undefined> {
  for await (const event of lastEvents(client, execution, 1)) {
    const terminated = event.workflowExecutionTerminatedEventAttributes;
    if (terminated) return howItWasTerminated(terminated.identity ?? '', terminated.reason ?? '');
    return await ourFailure(client, event.workflowExecutionFailedEventAttributes?.failure);
  }
  return undefined;
}

/** The server says for itself why it does so. What ends with its caller ends as it should. */
export function howItWasTerminated(identity: string, reason: string): string | undefined {
  if (reason === byItsCaller) return undefined;
  const by = identity === '' ? 'terminated' : `terminated by ${causeLine(identity)}`;
  return reason === '' ? by : `${by}: ${causeLine(reason)}`;
}

type Failure = Parameters<typeof decodeOptionalFailureToOptionalError>[1];

/** The code and message of the outermost failure that has a code, when it is one of ours. */
async function ourFailure(client: Client, outermost: Failure): Promise<string | undefined> {
  let failure = outermost;
  while (failure && !failure.applicationFailureInfo) failure = failure.cause;
  const code = failure?.applicationFailureInfo?.type ?? '';
  if (!ourErrors.has(code)) return undefined;
  const { loadedDataConverter } = client.options;
  const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure);
  return `${code}: ${causeLine(error?.message ?? '')}`;
}

/** Ids that had many executions within an hour: each continued the one before, or took its place, and little was done in between. */
export async function checkExecutions(client: Client): Promise<Omit<Check, 'name'>> {
  const statuses = ['Running', 'ContinuedAsNew', 'Terminated', 'Failed', 'Canceled', 'TimedOut'];
  const list = statuses.map((status) => `'${status}'`).join(', ');
  const query = `${ofOurs} AND ExecutionStatus IN (${list}) AND StartTime > '${ago(hourMs)}'`;
  const { executions, isAll } = await listNewest(client, query, mostExecutions);
  const found = manyExecutions(executions);
  const message = summary(
    found,
    isAll ? undefined : `looked at the newest ${executions.length} executions of this hour`,
  );
  if (found.length === 0) return { status: 'ok', message };
  const todo =
    'run `longhaul show <id> --full` to see what is so large; end a run that makes no progress with `longhaul cancel`';
  return { status: 'warn', message, todo };
}

type Execution = Pick<WorkflowExecutionInfo, 'workflowId' | 'status'>;

/** The one with the most first. */
export function manyExecutions(executions: readonly Execution[]): readonly string[] {
  const byId = new Map<string, Execution[]>();
  for (const execution of executions) {
    const own = byId.get(execution.workflowId) ?? [];
    byId.set(execution.workflowId, own);
    own.push(execution);
  }
  return [...byId]
    .filter(([, own]) => own.length > usualExecutions)
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([workflowId, own]) => {
      const continued = own.filter(({ status }) => status.name === 'CONTINUED_AS_NEW').length;
      return `${printableLine(workflowId)} (${own.length} executions in an hour, ${continued} of them continued as new)`;
    });
}

function ago(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}
