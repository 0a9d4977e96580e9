// What must hold when a round is over: effects, histories, and that nothing is left.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { fetchHistory } from 'longhaul/testing';
import { agentsOf, messagesOf, type Act, type RoundPlan, type ToolName } from './plan.mts';
import type { Effect } from './runners.mts';
import { whereIs } from './stuck.mts';
import { taskFailuresOf, type HistoryEvents, type TaskFailures } from './task-failures.mts';
import { agentAt, decisionOn, voteOn, type Decision } from './texts.mts';

/** A run continues as new before it is so large; one with open children waits for a gap to do so. */
export const bounds = { bytes: 24_000_000, events: 20_000, executions: 60, signatureChecks: 16 };
const closeMs = 90_000;

export type Found = { readonly wrongs: readonly string[]; readonly figures: Figures };

export type Figures = {
  readonly executions: number;
  readonly mostExecutions: number;
  readonly largestBytes: number;
  readonly longestEvents: number;
  readonly tasksTimedOut: number;
  /** Tasks that the SDK failed because it answered an update again. */
  readonly answeredAgain: number;
};

/** Of a round that broke. */
export const noFigures: Figures = {
  executions: 0,
  mostExecutions: 0,
  largestBytes: 0,
  longestEvents: 0,
  tasksTimedOut: 0,
  answeredAgain: 0,
};

/** All calls of the plan, by place. */
export function actsOf({ trees, threads }: RoundPlan): ReadonlyMap<string, Act> {
  const plans = [...trees.flatMap(({ root }) => agentsOf(root)), ...threads.flatMap(messagesOf)];
  const acts = plans.flatMap(({ turns }) => turns.flat()).filter((act) => act.kind !== 'call');
  return new Map(acts.map((act) => [act.place, act]));
}

/** Which runs were reset, and which calls a model was told were never made. */
type Told = {
  readonly isForced: (owner: string) => boolean;
  readonly notMade: ReadonlySet<string>;
};

/**
 * Each `once` effect at most once, each other one under one key, none that nobody asked for. A reset repeats what came after the point
 * it goes back to, also what may happen once, but under the same key.
 */
export function judgeEffects(
  effects: readonly Effect[],
  plan: RoundPlan,
  { isForced, notMade }: Told,
): readonly string[] {
  const acts = actsOf(plan);
  const places = [...grouped(effects, ({ place }) => place)];
  return places.flatMap(([place, made]) => {
    const act = acts.get(place);
    if (act === undefined) return [`an effect at ${place}, which is nowhere in the plan`];
    const name = `${act.kind} at ${place}`;
    const keys = new Set(made.map(({ key }) => key));
    const isOnce = onceTools.includes(act.kind);
    const mayBeAgain = isForced(agentAt(place).split('.')[0] ?? '');
    const isTwice = isOnce && made.length > 1 && !mayBeAgain;
    const isDenied = notMade.has(place) && !mayBeAgain;
    return [
      ...(keys.size > 1 ? [`${name} has ${keys.size} keys`] : []),
      ...(isDenied ? [`${name} happened though it was told that it was not called`] : []),
      ...(isTwice ? [`${name} happened ${made.length} times`] : []),
      ...approvalsOf(act).flatMap((decision) => disobeyed(name, decision, made)),
    ];
  });
}

const onceTools: readonly ToolName[] = ['refund', 'guard_once', 'vote'];

function approvalsOf({ kind, place }: Act): readonly Decision[] {
  if (kind === 'vote') return [voteOn(place)];
  return kind === 'guard' || kind === 'guard_once' ? [decisionOn(place)] : [];
}

function disobeyed(name: string, decision: Decision, made: readonly Effect[]): readonly string[] {
  if (decision === 'reject') return [`${name} happened though it was rejected`];
  const isEdited = decision === 'edit';
  if (made.every(({ edited }) => edited === isEdited)) return [];
  return [`${name} happened with other arguments than were approved`];
}

export function readEffects(ledger: string): readonly Effect[] {
  const lines = readFileSync(ledger, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Effect);
}

type Allowances = {
  /** Executions of theirs may be terminated. */
  readonly isForced: (owner: string) => boolean;
  readonly mayLeaveOrphans: (owner: string) => boolean;
};

/** Every workflow is closed, none by force, and none grew beyond its bounds. */
export async function judgeWorkflows(
  longhaul: Longhaul,
  { isForced, mayLeaveOrphans }: Allowances,
): Promise<Found> {
  const orphans = new Set<string>();
  const isClosed = await allClosed(longhaul, orphans);
  const left = isClosed ? [] : await listed(longhaul, running);
  const open = left.map(async ({ workflowId }) => {
    const place = await whereIs(longhaul, ownerOf(workflowId));
    return `${workflowId} is still open\n${place}`;
  });
  const executions = await listed(longhaul);
  const tasks = [];
  for (const execution of executions) tasks.push(await tasksOf(longhaul, execution));
  const chains = [...grouped(executions, ({ workflowId }) => workflowId)];
  const most = (numbers: readonly number[]): number => Math.max(0, ...numbers);
  return {
    wrongs: [
      ...[...orphans]
        .filter((workflowId) => !mayLeaveOrphans(ownerOf(workflowId)))
        .map((workflowId) => `${workflowId} was left behind, though nothing was reset but safely`),
      ...(await Promise.all(open)),
      ...executions.flatMap((execution) => endOf(execution, isForced)),
      ...tasks.flatMap(({ failed }) => failed),
      ...chains
        .filter(([, { length }]) => length > bounds.executions)
        .map(([id, { length }]) => `${id} has ${length} executions`),
    ],
    figures: {
      executions: executions.length,
      mostExecutions: most(chains.map(([, { length }]) => length)),
      largestBytes: most(executions.map(({ historySize = 0 }) => Number(historySize))),
      longestEvents: most(executions.map(({ historyLength }) => historyLength)),
      tasksTimedOut: tasks.reduce((sum, { timedOut }) => sum + timedOut, 0),
      answeredAgain: tasks.reduce((sum, { answeredAgain }) => sum + answeredAgain, 0),
    },
  };
}

export const ownerOf = (workflowId: string): string => /[tc]\d+/.exec(workflowId)?.[0] ?? '';

const running = "ExecutionStatus = 'Running'";

function endOf(
  { workflowId, status, historyLength, historySize = 0 }: Listed,
  isForced: (owner: string) => boolean,
): readonly string[] {
  const owner = ownerOf(workflowId);
  const wasForced = status.name === 'TERMINATED' && !isForced(owner);
  const isTooLong = historySize > bounds.bytes || historyLength > bounds.events;
  return [
    ...(wasForced || status.name === 'TIMED_OUT'
      ? [`${workflowId} was closed as ${status.name}`]
      : []),
    ...(isTooLong
      ? [`${workflowId} has a history of ${historySize} bytes and ${historyLength} events`]
      : []),
  ];
}

/** The list is late; runs that a reset left behind are ended as an operator does. */
async function allClosed(longhaul: Longhaul, orphans: Set<string>): Promise<boolean> {
  const deadline = Date.now() + closeMs;
  while (Date.now() < deadline) {
    for (const { workflowId } of await longhaul.orphans()) orphans.add(workflowId);
    const open = await listed(longhaul, running);
    if (open.length === 0) return true;
    for (const { workflowId } of open)
      if (orphans.has(workflowId))
        await longhaul.run(workflowId).cancel('orphan').catch(ignoringClosed);
    await sleep(1_000);
  }
  return false;
}

/** It has closed meanwhile. */
function ignoringClosed(error: unknown): void {
  if (!hasCode(error, 'RunClosed') && !hasCode(error, 'RunNotFound')) throw error;
}

async function listed({ client }: Longhaul, query?: string): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for await (const execution of client.workflow.list(query === undefined ? {} : { query }))
    found.push(execution);
  return found;
}

type Listed =
  Awaited<ReturnType<Longhaul['client']['workflow']['list']>> extends AsyncIterable<infer Item>
    ? Item
    : never;

async function tasksOf(longhaul: Longhaul, { workflowId, runId }: Listed): Promise<TaskFailures> {
  const { events } = await fetchHistory(longhaul, workflowId, { runId });
  const { failed, ...others } = taskFailuresOf(events ?? []);
  const told = failed.map((message) => `a workflow task of ${workflowId} failed: ${message}`);
  const checks = mostOpen(events ?? [], 'checkSignature');
  const isFlooded = checks > bounds.signatureChecks;
  return {
    failed: [
      ...told,
      ...(isFlooded ? [`${workflowId} had ${checks} signatures checked at a time`] : []),
    ],
    ...others,
  };
}

/** How many activities of a type were open at a time. */
function mostOpen(events: HistoryEvents, type: string): number {
  const open = new Set<string>();
  let most = 0;
  for (const event of events) {
    const { activityTaskScheduledEventAttributes: scheduled } = event;
    if (scheduled?.activityType?.name === type) open.add(String(event.eventId));
    const ended =
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes;
    if (ended) open.delete(String(ended.scheduledEventId));
    most = Math.max(most, open.size);
  }
  return most;
}

function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
