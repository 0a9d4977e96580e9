// Takes a run back to before a turn or a step. First plans what the reset undoes, from the histories of the run and its child runs.
//
// 1. The run is halted first: it ends its calls and starts no new ones. The reset comes after all calls have closed.
// 2. The run goes back to a workflow task at which it had no open call, so that no call runs twice at once.
// 3. Signals and updates since then are not sent again: people answer again when the run asks again.

import { randomUUID } from 'node:crypto';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { hasCode, LonghaulError } from '../protocol/errors';
import { timeouts } from '../protocol/limits';
import { kindOfType, queryNames, signalNames } from '../protocol/names';
import { pause } from './calls';
import { isNotFound } from './failures';
import { RunView } from './run-view';
import { noWorker } from './workers';
import type { CallToolInput, LonghaulActivities } from '../protocol/activities';
import type { RunInput } from '../protocol/run';
import type { Definition } from '../protocol/spec';
import { decode, type HistoryEvent, historyEvents, type HistoryPayload } from './history';

const ours: Readonly<Record<keyof LonghaulActivities, true>> = {
  callModel: true,
  callTool: true,
  runToolHooks: true,
  checkArguments: true,
  loadDefinition: true,
  findDefinition: true,
  pullLog: true,
  fetchSession: true,
  fetchInput: true,
  openRun: true,
  closeRun: true,
  openThread: true,
  saveTurn: true,
  clearTurns: true,
  summarise: true,
  requestCancellation: true,
};

export type ResetOptions = {
  /** For an agent, the number of a turn, from 1. Else a step, branch or task, as its path names it: `branch-2`. */
  readonly to: number | string;
  /** Called with the plan before anything changes. If it returns false, nothing changes. */
  readonly confirm?: (plan: ResetPlan) => boolean | Promise<boolean>;
  /** The history keeps it. */
  readonly reason?: string;
};

const pauseMs = 100;

/** Signals, updates, Nexus, cancellation requests. */
const notSentAgain = [1, 2, 3, 4];

export async function resetRun(
  client: Client,
  workflowId: string,
  { to, confirm, reason = `reset to ${to}` }: ResetOptions,
): Promise<ResetPlan | undefined> {
  checkTarget(to);
  const before = await new RunView(client, workflowId).describe();
  checkRun(before);
  const planned = await new ResetPlanner(client).plan(workflowId, to);
  if (confirm !== undefined && !(await confirm(planned))) return undefined;
  const run = before.status.name === 'RUNNING' ? await halt(client, workflowId) : before;
  checkRun(run);
  const plan = await new ResetPlanner(client).plan(workflowId, to);
  const reset = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId: plan.runId },
    reason,
    requestId: randomUUID(),
    workflowTaskFinishEventId: plan.taskEventId,
    resetReapplyExcludeTypes: notSentAgain,
  } as unknown as Parameters<Client['workflowService']['resetWorkflowExecution']>[0]);
  if (run.parentExecution !== undefined) await checkCaller(client, run, reset.runId);
  // The root run or the thread lists this run's questions. It still counts a question as answered although the reset undid the answer.
  if (run.parentExecution !== undefined)
    await client.workflow.getHandle(workflowId).signal(signalNames.askAgain).catch(ignoreMissing);
  return plan;
}

function checkTarget(to: unknown): void {
  const isTurn = typeof to === 'number' && Number.isInteger(to) && to > 0;
  if (isTurn || (typeof to === 'string' && to !== '')) return;
  throw new LonghaulError(
    'InvalidInput',
    'to must be the number of a turn, from 1, or the name of a step',
  );
}

function checkRun(run: WorkflowExecutionDescription): void {
  const { workflowId, type, status, parentExecution } = run;
  if (!isRunType(type))
    throw new LonghaulError(
      'InvalidInput',
      `'${workflowId}' is a workflow of type '${type}', but only runs can be reset. In a thread, reset the run of a turn`,
    );
  if (status.name !== 'RUNNING' && parentExecution !== undefined) throw hasGoneOn(run);
}

/** The run may end by itself while it is being reset. Then nobody waits for the new execution, so it ends. */
async function checkCaller(
  client: Client,
  run: WorkflowExecutionDescription,
  newRunId: string | null | undefined,
): Promise<void> {
  const { workflowId, runId } = run;
  const { status } = await client.workflow.getHandle(workflowId, runId).describe();
  // The reset terminates the execution that it finds.
  if (status.name === 'TERMINATED') return;
  const handle = client.workflow.getHandle(workflowId, newRunId ?? undefined);
  await handle.cancel().catch(ignoreMissing);
  throw hasGoneOn(run);
}

function hasGoneOn({ workflowId, parentExecution }: WorkflowExecutionDescription): LonghaulError {
  const message = `run '${workflowId}' has ended, and its caller '${parentExecution?.workflowId}' has gone on. Reset the caller`;
  return new LonghaulError('RunClosed', message);
}

/**
 * Resolves when the run has no open call any more. Halts child runs first: a cancelled run closes while its calls still end, but a halted
 * run waits for them.
 */
async function halt(client: Client, workflowId: string): Promise<WorkflowExecutionDescription> {
  const view = new RunView(client, workflowId);
  const before = await view.describe();
  if (before.status.name !== 'RUNNING') return before;
  const children = (before.raw.pendingChildren ?? []).map((child) => child.workflowId ?? '');
  for (const child of children) await halt(client, child).catch(ignoreMissing);
  await client.workflow.getHandle(workflowId).signal(signalNames.halt);
  const deadline = Date.now() + timeouts.resetHalt;
  // The run answers only after it got the signal, so it has begun to end its open calls.
  if (!(await view.answers())) throw noWorker(before.taskQueue, workflowId);
  // The server does not pass the cancellation on to a child that was reset itself.
  for (const child of children)
    await client.workflow.getHandle(child).cancel().catch(ignoreMissing);
  for (;;) {
    const run = await view.describe();
    const open = underWay(run);
    if (run.status.name !== 'RUNNING' || open.length === 0) return run;
    if (Date.now() > deadline) {
      const message = `run '${workflowId}' is halted, but these calls still run: ${open.slice(0, 10).join(', ')}. Nothing was reset. Try again later, or cancel the run`;
      throw new LonghaulError('InternalError', message, { retryable: true });
    }
    await pause(pauseMs);
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'RunNotFound') && !isNotFound(error)) throw error;
}

function underWay({ raw }: WorkflowExecutionDescription): readonly string[] {
  const calls = (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? '');
  return [...calls, ...(raw.pendingChildren ?? []).map((child) => child.workflowId ?? '')];
}

/** A tool call that the reset removes from the run's log. Its effects outside stay. */
export type UndoneCall = {
  readonly workflowId: string;
  readonly path: string;
  readonly tool: string;
  /** Missing if no worker gives the run's definition. */
  readonly effect?: 'read' | 'idempotent' | 'once';
};

export type UndoneRun = { readonly workflowId: string; readonly path: string };

export type ResetPlan = {
  readonly workflowId: string;
  /** The execution to go back to. The run goes on from its workflow task `taskEventId`. */
  readonly runId: string;
  readonly taskEventId: number;
  /** In the order of the calls; calls of child runs come after their caller. The new execution may make them again. */
  readonly calls: readonly UndoneCall[];
  /** Child runs that started since then, at any depth. */
  readonly runs: readonly UndoneRun[];
};

/** A call of an activity or of a child run. */
type Step = {
  readonly name: string;
  readonly isChild: boolean;
  /** The workflow task that decided it. */
  readonly task: number;
  readonly input: unknown;
  readonly childId: string;
  closedAt: number;
};

type PastExecution = {
  readonly runId: string;
  readonly previous: string;
  readonly input: RunInput;
  readonly steps: readonly Step[];
};

class ResetPlanner {
  readonly #client: Client;
  readonly #definitions = new Map<string, Promise<Definition | undefined>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Throws `InvalidInput` if the run has no such turn or step. */
  async plan(workflowId: string, to: number | string): Promise<ResetPlan> {
    const later: Step[] = [];
    for await (const execution of this.#executions(workflowId)) {
      const { runId, input, steps } = execution;
      const task = taskOf(steps, to);
      if (task !== undefined) {
        const taskEventId = quietTask(steps, task);
        const undone = [...steps.filter((step) => step.task >= taskEventId), ...later];
        const { calls, runs } = await this.#undone(workflowId, input, undone);
        return { workflowId, runId, taskEventId, calls, runs };
      }
      later.unshift(...steps);
    }
    const [sought, hint] =
      typeof to === 'number'
        ? [`turn ${to}`, 'for an agent, give the number of a turn']
        : [`step '${to}'`, 'for a workflow, give a step, branch or task that it has started'];
    throw new LonghaulError(
      'InvalidInput',
      `run '${workflowId}' has no ${sought} in its history; ${hint}`,
    );
  }

  /** Newest first. */
  async *#executions(workflowId: string): AsyncGenerator<PastExecution, void, void> {
    for (let runId = ''; ;) {
      const execution = await this.#read({ workflowId, ...(runId !== '' && { runId }) });
      yield execution;
      if (execution.previous === '') return;
      runId = execution.previous;
    }
  }

  async #read(run: {
    readonly workflowId: string;
    readonly runId?: string;
  }): Promise<PastExecution> {
    const steps = new Map<number, Step>();
    let [runId, previous, input] = ['', '', {} as RunInput];
    for await (const event of historyEvents(this.#client, run)) {
      const started = event.workflowExecutionStartedEventAttributes;
      if (started) {
        runId = started.originalExecutionRunId ?? '';
        previous = started.continuedExecutionRunId ?? '';
        input = (await this.#decode(started.input?.payloads)) as RunInput;
      }
      const id = Number(event.eventId);
      const step = await this.#step(event);
      if (step !== undefined) steps.set(id, step);
      const closed = steps.get(closedStep(event));
      if (closed !== undefined) closed.closedAt = id;
    }
    const known = run.runId ?? (await this.#newest(run.workflowId)) ?? runId;
    return { runId: known, previous, input, steps: [...steps.values()] };
  }

  async #newest(workflowId: string): Promise<string> {
    return (await this.#client.workflow.getHandle(workflowId).describe()).runId;
  }

  async #step(event: HistoryEvent): Promise<Step | undefined> {
    const { activityTaskScheduledEventAttributes: activity } = event;
    const { startChildWorkflowExecutionInitiatedEventAttributes: child } = event;
    const found = activity ?? child;
    if (!found) return undefined;
    return {
      name: activity?.activityType?.name ?? child?.workflowType?.name ?? '',
      isChild: !activity,
      task: Number(found.workflowTaskCompletedEventId),
      input: await this.#decode(found.input?.payloads),
      childId: child?.workflowId ?? '',
      closedAt: Number.POSITIVE_INFINITY,
    };
  }

  async #undone(
    workflowId: string,
    { runner, lineage, definition }: RunInput,
    steps: readonly Step[],
  ): Promise<Pick<ResetPlan, 'calls' | 'runs'>> {
    const path = lineage?.path ?? (typeof runner === 'string' ? runner : runner.id);
    const calls: UndoneCall[] = [];
    const runs: UndoneRun[] = [];
    const known = await this.#definition(definition?.root ?? workflowId);
    for (const step of steps) {
      if (step.isChild) {
        const input = step.input as RunInput;
        runs.push({ workflowId: step.childId, path: input.lineage?.path ?? step.name });
        const below = await this.#below(step.childId);
        calls.push(...below.calls);
        runs.push(...below.runs);
      } else if (step.name === 'callTool' || !Object.hasOwn(ours, step.name)) {
        calls.push({ workflowId, path, ...toolOf(step, known) });
      }
    }
    return { calls, runs };
  }

  async #below(workflowId: string): Promise<Pick<ResetPlan, 'calls' | 'runs'>> {
    const steps: Step[] = [];
    let input: RunInput | undefined;
    try {
      for await (const execution of this.#executions(workflowId)) {
        steps.unshift(...execution.steps);
        input = execution.input;
      }
    } catch {
      // The run has not started, or the server has deleted it.
    }
    return input === undefined
      ? { calls: [], runs: [] }
      : await this.#undone(workflowId, input, steps);
  }

  async #definition(holder: string): Promise<Definition | undefined> {
    const known = this.#definitions.get(holder) ?? this.#ask(holder);
    this.#definitions.set(holder, known);
    return await known;
  }

  async #ask(holder: string): Promise<Definition | undefined> {
    const handle = this.#client.workflow.getHandle(holder);
    const answer = handle.query<{ definition?: Definition }>(queryNames.definition);
    return (await answer.catch(() => undefined))?.definition;
  }

  async #decode(payloads: HistoryPayload[] | null | undefined): Promise<unknown> {
    const [payload] = payloads ?? [];
    return payload && (await decode(this.#client, payload));
  }
}

/** The event id of the step that this event ends; 0 for any other event. */
function closedStep(event: HistoryEvent): number {
  return endedActivity(event) ?? endedChild(event) ?? 0;
}

function endedActivity(event: HistoryEvent): number | undefined {
  const ended =
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskCanceledEventAttributes;
  return ended ? Number(ended.scheduledEventId) : undefined;
}

function endedChild(event: HistoryEvent): number | undefined {
  const ended =
    event.childWorkflowExecutionCompletedEventAttributes ??
    event.childWorkflowExecutionFailedEventAttributes ??
    event.childWorkflowExecutionCanceledEventAttributes ??
    event.childWorkflowExecutionTimedOutEventAttributes ??
    event.childWorkflowExecutionTerminatedEventAttributes ??
    event.startChildWorkflowExecutionFailedEventAttributes;
  return ended ? Number(ended.initiatedEventId) : undefined;
}

/** The workflow task that first scheduled the turn or step. */
function taskOf(steps: readonly Step[], to: number | string): number | undefined {
  const turns = steps.filter(
    ({ name, input }) => name === 'callModel' && (input as { turn: number }).turn === to,
  );
  const places = steps.filter(
    ({ isChild, input }) =>
      isChild && (input as RunInput).lineage?.path.split('/').at(-1) === String(to),
  );
  const [first] = turns.length > 0 ? turns : places;
  return first?.task;
}

/** The last workflow task, not after `task`, at which no earlier step was open. */
function quietTask(steps: readonly Step[], task: number): number {
  const open = steps.filter((step) => step.task < task && step.closedAt > task);
  return open.length === 0 ? task : quietTask(steps, Math.min(...open.map((step) => step.task)));
}

function toolOf(
  { name, input }: Step,
  definition: Definition | undefined,
): Pick<UndoneCall, 'tool' | 'effect'> {
  const tools = definition?.tools ?? {};
  const isForeign = name !== 'callTool';
  const tool = isForeign
    ? (Object.keys(tools).find((key) => tools[key]?.activity?.type === name) ?? name)
    : (input as CallToolInput).tool;
  const isOnce = !isForeign && (input as CallToolInput).onceIn !== undefined;
  const effect = isOnce ? 'once' : tools[tool] && (tools[tool].effect ?? 'idempotent');
  return { tool, ...(effect && { effect }) };
}

function isRunType(type: string): boolean {
  return kindOfType(type) !== undefined;
}
