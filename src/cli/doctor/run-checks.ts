// The checks of `longhaul doctor` about runs in the namespace: runs that ended badly, continue as new too often, are stuck, retry calls,
// are pinned or halted, or are orphans. Each check lists runs from the server, looks at them, and returns a `Check` with its findings and
// advice.
//
// 1. The constants below bound how many runs a check looks at, and from which number on something counts as a finding.

import { loadClient, loadServer } from '../session/load-parts';
import type {
  Client,
  WorkflowExecutionDescription,
  WorkflowExecutionInfo,
} from '@temporalio/client';
import type { Failure, lookForWorker, Retrying } from '../../client/index';
import { defined } from '../../base';
import { signalNames, timeouts } from '../../protocol';

import { printableLine } from '../render/text';
import { causeLine, type Check, judge, listNewest, lookAtEach, mostMs, ofOurs } from './look';

const mostOrphans = 1_000;

const mostRuns = 200;

const suspiciousTask = 4;

const usualAttempts = 5;

const mostRetried = 3;

const mostEnded = 100;

const mostExecutions = 2_000;

const usualExecutions = 20;

const hourMs = 3_600_000;

const dayMs = 24 * hourMs;

/** Errors that point to Longhaul itself or to its size limits, not to a tool or a model. */
const ourErrors: ReadonlySet<string> = new Set([
  'StateError',
  'TranscriptTooLarge',
  'PayloadTooLarge',
  'InternalError',
]);

const byItsCaller = 'by parent close policy';

/** Runs that ended badly within a day and have no newer execution. */
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
  return judge(found, {
    cutOff: isAll
      ? undefined
      : `looked at ${looked} that were terminated or failed today, not at all`,
    todo: 'see what they did with `longhaul show`, and start them again if they are needed',
  });
}

async function badEnd(
  client: Client,
  { workflowId, runId }: WorkflowExecutionInfo,
): Promise<string | undefined> {
  const how = await howItEnded(client, { workflowId, runId });
  if (how === undefined) return undefined;
  // A reset terminates the old execution.
  const newest = await client.workflow.getHandle(workflowId).describe();
  return newest.runId === runId ? `${printableLine(workflowId)}: ${how}` : undefined;
}

async function howItEnded(
  client: Client,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<string | undefined> {
  for await (const step of loadClient().lastStepsOf(client, execution, 1)) {
    if (step.kind !== 'close') break;
    if (step.status === 'terminated') return howItWasTerminated(step.by, step.reason);
    if (step.status === 'failed') return await ourFailure(client, step.failure);
  }
  return undefined;
}

/** Undefined for a child run that ended with its caller, as a child should. */
export function howItWasTerminated(identity: string, reason: string): string | undefined {
  if (reason === byItsCaller) return undefined;
  const by = identity === '' ? 'terminated' : `terminated by ${causeLine(identity)}`;
  return reason === '' ? by : `${by}: ${causeLine(reason)}`;
}

/** Code and message of the outermost failure with a code, if it is one of `ourErrors`. */
async function ourFailure(client: Client, outermost: Failure): Promise<string | undefined> {
  const failure = loadClient().codedFailure(outermost);
  const code = failure?.applicationFailureInfo?.type ?? '';
  if (!ourErrors.has(code)) return undefined;
  const error = await loadClient().errorOf(client, failure);
  return `${code}: ${causeLine(error?.message ?? '')}`;
}

/** Runs with many executions within an hour: they restart or continue as new again and again. */
export async function checkExecutions(client: Client): Promise<Omit<Check, 'name'>> {
  const statuses = ['Running', 'ContinuedAsNew', 'Terminated', 'Failed', 'Canceled', 'TimedOut'];
  const list = statuses.map((status) => `'${status}'`).join(', ');
  const query = `${ofOurs} AND ExecutionStatus IN (${list}) AND StartTime > '${ago(hourMs)}'`;
  const { executions, isAll } = await listNewest(client, query, mostExecutions);
  return judge(manyExecutions(executions), {
    cutOff: isAll ? undefined : `looked at the newest ${executions.length} executions of this hour`,
    todo: 'run `longhaul show <id> --full` to see what is so large; end a run that makes no progress with `longhaul cancel`',
  });
}

type ListedExecution = Pick<WorkflowExecutionInfo, 'workflowId' | 'status'>;

/** Lists the run with the most executions first. */
export function manyExecutions(executions: readonly ListedExecution[]): readonly string[] {
  const byId = new Map<string, ListedExecution[]>();
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

// Checks of open runs and threads that make no progress although they wait for nobody. They look at each run once, for all checks.

/** The findings for one open run, in words; empty if all is well. */
type OpenRun = {
  readonly stuck?: string;
  readonly retried?: readonly Retrying[];
  readonly halted?: string;
  readonly pinned?: string;
};

type OpenRuns = { readonly runs: readonly OpenRun[]; readonly cutOff?: string };

export async function checkOpenRuns(client: Client): Promise<readonly Check[]> {
  return openRunChecks(await lookAtOpenRuns(client));
}

export function openRunChecks({ runs, cutOff }: OpenRuns): readonly Check[] {
  const texts = (of: (run: OpenRun) => string | undefined): readonly string[] =>
    runs.map(of).filter(isThere);
  const retried = retryLines(runs.flatMap((run) => run.retried ?? []));
  return [
    {
      name: 'stuck runs',
      ...judge(
        texts(({ stuck }) => stuck),
        {
          cutOff,
          status: 'fail',
          todo: '`longhaul show <id> --why` says what to deploy for each, or how to take it back: nothing is lost meanwhile',
        },
      ),
    },
    {
      name: 'retried calls',
      ...judge(retried, {
        cutOff,
        most: mostRetried,
        todo: '`longhaul show <id> --why` says what to do about each: they are tried again until their time is up',
      }),
    },
    {
      name: 'pinned runs',
      ...judge(
        texts(({ pinned }) => pinned),
        {
          cutOff,
          status: 'fail',
          todo: 'start workers of that version, or move the runs with `temporal workflow update-options --versioning-override-behavior auto_upgrade`',
        },
      ),
    },
    {
      name: 'halted runs',
      ...judge(
        texts(({ halted }) => halted),
        {
          cutOff,
          status: 'fail',
          todo: 'unless `longhaul reset` is at work now, it was cut off: give it again, of the root run, or end that with `longhaul cancel`',
        },
      ),
    },
  ];
}

function isThere(text: string | undefined): text is string {
  return text !== undefined;
}

/** First the runs that the server reports, then the newest open runs, because the server reports late. */
async function lookAtOpenRuns(client: Client): Promise<OpenRuns> {
  const open = `${ofOurs} AND ExecutionStatus = 'Running'`;
  const problems = `${open} AND TemporalReportedProblems IS NOT NULL`;
  const reported = await listNewest(client, problems, mostRuns).catch(() => undefined);
  const newest = await listNewest(client, open, mostRuns);
  const listed = [...(reported?.executions ?? []), ...newest.executions];
  const ids = [...new Set(listed.map(({ workflowId }) => workflowId))];
  const places: Places = new Map();
  const { found, looked } = await lookAtEach(ids, Date.now() + mostMs, (workflowId) =>
    client.withDeadline(Date.now() + timeouts.serverCheck, () =>
      lookAt(client, workflowId, places),
    ),
  );
  const isAll = newest.isAll && reported?.isAll !== false && looked === ids.length;
  return { runs: found, ...(!isAll && { cutOff: `looked at ${looked} open runs, not at all` }) };
}

async function lookAt(
  client: Client,
  workflowId: string,
  places: Places,
): Promise<OpenRun | undefined> {
  const run = await client.workflow.getHandle(workflowId).describe();
  if (run.status.name !== 'RUNNING') return undefined;
  const [stuck, retried, halted, pinned] = [
    await stuckRun(client, run),
    await retriedCalls(client, run),
    await haltedRun(client, run),
    await unservedRun(client, run, places),
  ];
  const texts = [stuck, halted, pinned].filter(isThere);
  if (texts.length === 0 && retried.length === 0) return undefined;
  return { retried, ...defined({ pinned, stuck, halted }) };
}

/** Whether workers serve a version of a task queue. The server is asked once for all runs of the version. */
type Places = Map<string, ReturnType<typeof lookForWorker>>;

/** The run is pinned to a version that no worker has. It may wait for a person, and then nobody notices. */
async function unservedRun(
  client: Client,
  run: WorkflowExecutionDescription,
  places: Places,
): Promise<string | undefined> {
  const place = loadServer().placeOf(run);
  if (place.version === undefined) return undefined;
  const key = JSON.stringify(place);
  const looked = places.get(key) ?? loadClient().lookForWorker(client, place);
  places.set(key, looked);
  if ((await looked).isServed) return undefined;
  const versions = loadClient().explainVersions(place, run.workflowId);
  return `${printableLine(run.workflowId)}: ${printableLine(versions?.reason ?? '')}`;
}

/** The run's workflow task fails again and again, and the server retries it for ever. */
async function stuckRun(
  client: Client,
  { raw, workflowId }: WorkflowExecutionDescription,
): Promise<string | undefined> {
  const attempt = raw.pendingWorkflowTask?.attempt ?? 1;
  if (attempt <= 1) return undefined;
  const failure = await loadClient().readTaskFailure(client, workflowId);
  // A few lost attempts mean only that a worker was killed.
  if (failure === undefined && attempt < suspiciousTask) return undefined;
  const cause = failure ? causeLine(failure.message) : 'no worker finishes the task in time';
  return `${printableLine(workflowId)} (attempt ${attempt}): ${cause}`;
}

async function retriedCalls(
  client: Client,
  run: WorkflowExecutionDescription,
): Promise<readonly Retrying[]> {
  const { retrying } = await loadClient().callsOf(client, run, Number.POSITIVE_INFINITY);
  return retrying.filter(({ attempt }) => attempt > usualAttempts);
}

/** The worst first. */
function retryLines(retried: readonly Retrying[]): readonly string[] {
  return retried
    .toSorted((one, other) => other.attempt - one.attempt)
    .map(({ what, workflowId, attempt, lastError }) => {
      const [call, run] = [printableLine(what), printableLine(workflowId)];
      return `${call} of ${run} (attempt ${attempt}): ${causeLine(lastError)}`;
    });
}

/** A reset halted the run but did not finish. The run has started nothing since. */
async function haltedRun(
  client: Client,
  { raw, workflowId, rootExecution }: WorkflowExecutionDescription,
): Promise<string | undefined> {
  const isQuiet = !raw.pendingActivities?.length && !raw.pendingChildren?.length;
  if (!isQuiet) return undefined;
  // A halted run has few steps after the halt.
  for await (const step of loadClient().lastStepsOf(client, { workflowId })) {
    if (step.kind === 'signal' && step.name === signalNames.halt)
      return haltedLine(workflowId, rootExecution?.workflowId);
    if (step.kind === 'activity' || step.kind === 'child') return undefined;
  }
  return undefined;
}

function haltedLine(workflowId: string, root: string | null | undefined): string {
  const line = printableLine(workflowId);
  return !root || root === workflowId ? line : `${line} (below ${printableLine(root)})`;
}

/** Runs that a reset left behind. Nobody answers them or uses their results. */
export async function checkOrphans(client: Client): Promise<Omit<Check, 'name'>> {
  const { orphans, isAll } = await loadClient().findOrphans(client, {}, mostOrphans);
  const found = orphans.map(
    ({ workflowId, path }) => `${printableLine(workflowId)} (${printableLine(path)})`,
  );
  const { message, ...judged } = judge(found, {
    cutOff: isAll ? undefined : `looked at the newest ${mostOrphans} open runs`,
    todo: 'end them with `longhaul cancel --orphans`',
  });
  const isFound = orphans.length > 0;
  return { ...judged, message: isFound ? `left behind by a reset: ${message}` : message };
}
