// What a reset undoes: read from the histories of a run and of the runs below it. Changes nothing.

import type { Client } from '@temporalio/client';
import { runnerIdOf } from '../../core/runner-refs';
import {
  type CallModelInput,
  type CallModelResult,
  type CallToolInput,
  type Definition,
  LonghaulError,
  queryNames,
  type RunInput,
} from '../../protocol';
import { decode } from './payloads';
import { executionsOf, outcomesIn, type Step } from './steps';
import { isToolCall, toolOfActivity } from './tool-calls';

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
type Call = Step<'activity' | 'child'> & {
  /** Its input, decoded. */
  readonly given: unknown;
  /** The id of the event that ended it. */
  readonly closedAt: number;
  /** The tools whose calls ran inline, for a model call that has ended. */
  readonly inline: readonly string[];
};

type PastCalls = {
  /** Empty for the newest execution. */
  readonly runId: string;
  readonly input: RunInput;
  readonly calls: readonly Call[];
};

export class ResetPlanner {
  readonly #client: Client;
  readonly #definitions = new Map<string, Promise<Definition | undefined>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Throws `InvalidInput` if the run has no such turn or step. */
  async plan(workflowId: string, to: number | string): Promise<ResetPlan> {
    const later: Call[] = [];
    for await (const { runId, input, calls } of this.#executions(workflowId)) {
      const task = taskOf(calls, to);
      if (task !== undefined) {
        const taskEventId = quietTask(calls, task);
        const undone = [...calls.filter((call) => call.task >= taskEventId), ...later];
        return {
          workflowId,
          runId: runId === '' ? await this.#newest(workflowId) : runId,
          taskEventId,
          ...(await this.#undone(workflowId, input, undone)),
        };
      }
      later.unshift(...calls);
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
  async *#executions(workflowId: string): AsyncGenerator<PastCalls, void, void> {
    for await (const { runId, steps } of executionsOf(this.#client, workflowId)) {
      const begin = steps.find((step) => step.kind === 'begin');
      const input = ((await decode(this.#client, begin?.input)) ?? {}) as RunInput;
      yield { runId, input, calls: await this.#calls(steps) };
    }
  }

  async #calls(steps: readonly Step[]): Promise<Call[]> {
    const outcomes = outcomesIn(steps);
    const calls: Call[] = [];
    for (const step of steps) {
      if (step.kind !== 'activity' && step.kind !== 'child') continue;
      const given = await decode(this.#client, step.input);
      const { end } = outcomes.get(step.id) ?? {};
      // The result of a model call has the results of the calls that ran inline.
      const hasInline = step.name === 'callModel' && (given as CallModelInput).inline !== undefined;
      const result = hasInline ? await decode(this.#client, end?.result) : undefined;
      const { results = [] } = (result ?? {}) as Partial<CallModelResult>;
      const inline = results.map(({ entry }) => entry.result.name);
      calls.push({ ...step, given, closedAt: end?.id ?? Number.POSITIVE_INFINITY, inline });
    }
    return calls;
  }

  async #newest(workflowId: string): Promise<string> {
    return (await this.#client.workflow.getHandle(workflowId).describe()).runId;
  }

  async #undone(
    workflowId: string,
    input: RunInput,
    undone: readonly Call[],
  ): Promise<Pick<ResetPlan, 'calls' | 'runs'>> {
    const path = input.lineage?.path ?? runnerIdOf(input.runner);
    const calls: UndoneCall[] = [];
    const runs: UndoneRun[] = [];
    const { holder, root = workflowId } = input.definition ?? {};
    const known = await this.#definition(holder ?? root);
    for (const call of undone) {
      if (call.kind === 'child') {
        const { lineage } = call.given as RunInput;
        runs.push({ workflowId: call.workflowId, path: lineage?.path ?? call.name });
        const below = await this.#below(call.workflowId);
        calls.push(...below.calls);
        runs.push(...below.runs);
      } else if (isToolCall(call.name)) {
        calls.push({ workflowId, path, ...toolOf(call, known) });
      } else {
        calls.push(...call.inline.map((tool) => ({ workflowId, path, ...effectOf(tool, known) })));
      }
    }
    return { calls, runs };
  }

  async #below(workflowId: string): Promise<Pick<ResetPlan, 'calls' | 'runs'>> {
    const calls: Call[] = [];
    let input: RunInput | undefined;
    try {
      for await (const execution of this.#executions(workflowId)) {
        calls.unshift(...execution.calls);
        input = execution.input;
      }
    } catch {
      // The run has not started, or the server has deleted it.
    }
    return input === undefined
      ? { calls: [], runs: [] }
      : await this.#undone(workflowId, input, calls);
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
}

/** The workflow task that first scheduled the turn or step. */
function taskOf(calls: readonly Call[], to: number | string): number | undefined {
  const turns = calls.filter(
    ({ name, given }) => name === 'callModel' && (given as { turn: number }).turn === to,
  );
  const places = calls.filter(
    ({ kind, given }) =>
      kind === 'child' && (given as RunInput).lineage?.path.split('/').at(-1) === String(to),
  );
  const [first] = turns.length > 0 ? turns : places;
  return first?.task;
}

/** The last workflow task, not after `task`, at which no earlier call was open but notices. */
function quietTask(calls: readonly Call[], task: number): number {
  const open = calls.filter(
    ({ name, task: since, closedAt }) => since < task && closedAt > task && name !== 'notifyPause',
  );
  return open.length === 0 ? task : quietTask(calls, Math.min(...open.map((call) => call.task)));
}

function toolOf(
  { name, given }: Call,
  definition: Definition | undefined,
): Pick<UndoneCall, 'tool' | 'effect'> {
  const tool = toolOfActivity(name, given, definition);
  const isOnce = name === 'callTool' && (given as CallToolInput).onceIn !== undefined;
  return isOnce ? { tool, effect: 'once' } : effectOf(tool, definition);
}

function effectOf(
  tool: string,
  definition: Definition | undefined,
): Pick<UndoneCall, 'tool' | 'effect'> {
  const spec = definition?.tools[tool];
  return { tool, ...(spec && { effect: spec.effect ?? 'idempotent' }) };
}
