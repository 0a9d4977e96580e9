// What a reset undoes: read from the histories of a run and of the runs below it. Changes nothing.

import type { Client } from '@temporalio/client';
import { runnerIdOf } from '../../core/runner-refs';
import type { CallModelInput, CallModelResult, CallToolInput } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import { queryNames } from '../../protocol/names';
import type { RunInput } from '../../protocol/run';
import type { Definition } from '../../protocol/spec';
import { decode, type HistoryEvent, historyEvents, type HistoryPayload } from './history';
import { endedStep, isToolCall, toolOfActivity } from './history-steps';

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
  /** The tools whose calls ran inline, for a model call that has ended. */
  inline: readonly string[];
};

type PastExecution = {
  readonly runId: string;
  readonly previous: string;
  readonly input: RunInput;
  readonly steps: readonly Step[];
};

export class ResetPlanner {
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
      const closed = steps.get(endedStep(event));
      if (closed === undefined) continue;
      closed.closedAt = id;
      closed.inline = await this.#inlineTools(closed, event);
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
      inline: [],
    };
  }

  /** The result of a model call has the results of the calls that ran inline. */
  async #inlineTools({ name, input }: Step, event: HistoryEvent): Promise<readonly string[]> {
    if (name !== 'callModel' || (input as CallModelInput).inline === undefined) return [];
    const ended = event.activityTaskCompletedEventAttributes;
    const result = (await this.#decode(ended?.result?.payloads)) as CallModelResult | undefined;
    return (result?.results ?? []).map(({ entry }) => entry.result.name);
  }

  async #undone(
    workflowId: string,
    input: RunInput,
    steps: readonly Step[],
  ): Promise<Pick<ResetPlan, 'calls' | 'runs'>> {
    const path = input.lineage?.path ?? runnerIdOf(input.runner);
    const calls: UndoneCall[] = [];
    const runs: UndoneRun[] = [];
    const { holder, root = workflowId } = input.definition ?? {};
    const known = await this.#definition(holder ?? root);
    for (const step of steps) {
      if (step.isChild) {
        const { lineage } = step.input as RunInput;
        runs.push({ workflowId: step.childId, path: lineage?.path ?? step.name });
        const below = await this.#below(step.childId);
        calls.push(...below.calls);
        runs.push(...below.runs);
      } else if (isToolCall(step.name)) {
        calls.push({ workflowId, path, ...toolOf(step, known) });
      } else {
        calls.push(...step.inline.map((tool) => ({ workflowId, path, ...effectOf(tool, known) })));
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

/** The last workflow task, not after `task`, at which no earlier step was open but notices. */
function quietTask(steps: readonly Step[], task: number): number {
  const open = steps.filter(
    ({ name, task: since, closedAt }) => since < task && closedAt > task && name !== 'notifyPause',
  );
  return open.length === 0 ? task : quietTask(steps, Math.min(...open.map((step) => step.task)));
}

function toolOf(
  { name, input }: Step,
  definition: Definition | undefined,
): Pick<UndoneCall, 'tool' | 'effect'> {
  const tool = toolOfActivity(name, input, definition);
  const isOnce = name === 'callTool' && (input as CallToolInput).onceIn !== undefined;
  return isOnce ? { tool, effect: 'once' } : effectOf(tool, definition);
}

function effectOf(
  tool: string,
  definition: Definition | undefined,
): Pick<UndoneCall, 'tool' | 'effect'> {
  const spec = definition?.tools[tool];
  return { tool, ...(spec && { effect: spec.effect ?? 'idempotent' }) };
}
