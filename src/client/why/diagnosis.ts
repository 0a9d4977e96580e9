// What holds a run up, from the server's description of it and of the open runs below it. Needs no worker.
//
// 1. A run that simply works has no diagnosis: a call in progress is nothing to wait for.
// 2. Looks at so many runs below, the newest last, and not deeper than runs may nest.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { defined, oneLine } from '../../base';
import type { ApproverRule, PendingInput } from '../../protocol';
import { describeIfThere } from '../server/calls';
import { readTaskFailure, type TaskFailureCause } from '../timeline/history';
import { memoOf, stateFromMemo } from '../read/run-view';
import { placeOf, servedQueues, type TaskPlace, toDate, type WorkerVersion } from '../../server';
import { lookForWorker } from '../server/workers';
import { type LastPoll, lastPollOf } from './last-poll';
import { callsOf, type Retrying, type UntakenCall } from './open-calls';

/** Runs below to look at. */
const mostBelow = 20;

/** A task or call that no worker takes for so long is waited for. */
const slowMs = 5_000;

/** A few lost attempts mean only that a worker was killed. */
const suspiciousAttempt = 4;

const longestError = 300;

/** What a run waits for. All times are ISO 8601. */
export type WaitsFor =
  /** `none`: no worker polls the task queue. `silent`: one polls, but has not taken the task. */
  | {
      readonly kind: 'worker';
      readonly taskQueue: string;
      readonly since: string;
      readonly workers: 'none' | 'silent';
      /** Task queues that have workers, if the server keeps them: at most five. */
      readonly served?: readonly string[];
      /** The run is pinned to this version, and no worker of it polls. */
      readonly version?: WorkerVersion;
      /** Versions whose workers poll. The server gives them only what is pinned to them. */
      readonly idle?: readonly WorkerVersion[];
    }
  /** The workers fail to go on with the run, and the server asks them again for ever. */
  | {
      readonly kind: 'deploy';
      readonly attempt: number;
      readonly lastError: string;
      readonly cause: TaskFailureCause;
      readonly since: string;
    }
  /** An answer, a verdict, a budget, or a result from elsewhere. */
  | ({ readonly kind: 'person' | 'budget' | 'result' } & AwaitedInput)
  /** All slots of the workers are taken, or no worker polls for this kind of call. */
  | ({ readonly kind: 'slot' } & UntakenCall)
  | {
      readonly kind: 'child';
      readonly workflowId: string;
      readonly path: string;
      readonly waitsFor: WaitsFor;
    };

type AwaitedInput = {
  readonly inputId: string;
  readonly input: PendingInput['kind'];
  readonly question: string;
  readonly since: string;
  readonly expiresAt?: string;
  /** Who may decide. Absent if everybody may, or if no worker answers. */
  readonly by?: ApproverRule;
};

export type Diagnosis = {
  /** The calls of this run and of the open runs below it that failed and are tried again. */
  readonly retrying?: readonly Retrying[];
  readonly waitsFor?: WaitsFor;
  /** Set if calls are open that perhaps no worker is left to make. */
  readonly lastPoll?: LastPoll;
};

type Input = Pick<PendingInput, 'inputId' | 'kind' | 'question' | 'since'> &
  Partial<Pick<PendingInput, 'expiresAt' | 'by' | 'byToken'>>;

/** Reads descriptions for one diagnosis. */
export class Diagnostician {
  readonly #client: Client;
  #below = mostBelow;

  constructor(client: Client) {
    this.#client = client;
  }

  /** `pending`: the open inputs, as the run itself knows them. */
  async look(
    execution: WorkflowExecutionDescription,
    pending: readonly Input[] = stateFromMemo(execution).pending,
  ): Promise<Diagnosis> {
    if (execution.status.name !== 'RUNNING') return {};
    const stalled = await this.#stalled(execution);
    const calls = await callsOf(this.#client, execution, slowMs);
    const below = await this.#lookBelow(execution);
    const retrying = [...calls.retrying, ...below.retrying];
    const waitsFor =
      stalled ?? inputOf(pending) ?? (await this.#slot(execution, calls)) ?? below.waitsFor;
    const lastPoll = await this.#lastPoll(execution, waitsFor);
    return {
      ...(retrying.length > 0 && { retrying }),
      ...defined({ waitsFor, lastPoll: lastPoll ?? below.lastPoll }),
    };
  }

  /** Not if the diagnosis says already that no worker polls, or that those who poll fail. */
  async #lastPoll(
    execution: WorkflowExecutionDescription,
    waitsFor: WaitsFor | undefined,
  ): Promise<LastPoll | undefined> {
    if (waitsFor?.kind === 'deploy') return undefined;
    if (waitsFor?.kind !== 'worker') return await lastPollOf(this.#client, execution);
    return waitsFor.workers === 'silent' ? await lastPollOf(this.#client, execution) : undefined;
  }

  /** The run's workflow task: no worker takes it, or all fail it. */
  async #stalled(execution: WorkflowExecutionDescription): Promise<WaitsFor | undefined> {
    const { raw, taskQueue } = execution;
    const { pendingWorkflowTask: task } = raw;
    if (!task) return undefined;
    const scheduled = toDate(task.originalScheduledTime ?? task.scheduledTime);
    const since = scheduled.toISOString();
    const attempt = task.attempt ?? 1;
    const failure = attempt > 1 ? await this.#taskFailure(execution, attempt) : undefined;
    if (failure !== undefined) return { kind: 'deploy', attempt, ...failure, since };
    const unserved = await this.#unserved(placeOf(execution), since);
    if (unserved !== undefined) return unserved;
    const isSlow = Date.now() - scheduled.getTime() >= slowMs;
    return isSlow ? { kind: 'worker', taskQueue, since, workers: 'silent' } : undefined;
  }

  async #taskFailure(
    { workflowId }: WorkflowExecutionDescription,
    attempt: number,
  ): Promise<{ lastError: string; cause: TaskFailureCause } | undefined> {
    const failure = await readTaskFailure(this.#client, workflowId);
    if (failure === undefined && attempt < suspiciousAttempt) return undefined;
    const { message, cause } = failure ?? {
      message: 'no worker finishes the task in time',
      cause: 'error',
    };
    return { lastError: oneLine(message, longestError), cause };
  }

  /** The call that no worker takes for the longest time. */
  async #slot(
    execution: WorkflowExecutionDescription,
    { untaken }: { untaken: readonly UntakenCall[] },
  ): Promise<WaitsFor | undefined> {
    const [first] = untaken.toSorted((one, other) => one.since.localeCompare(other.since));
    if (first === undefined) return undefined;
    const { taskQueue, since } = first;
    const own = placeOf(execution);
    const place = taskQueue === own.taskQueue ? own : { taskQueue };
    return (await this.#unserved(place, since)) ?? { kind: 'slot', ...first };
  }

  /** Undefined if workers take the tasks of this place. */
  async #unserved(place: TaskPlace, since: string): Promise<WaitsFor | undefined> {
    const { isServed, idle } = await lookForWorker(this.#client, place);
    if (isServed) return undefined;
    const served = await servedQueues(this.#client);
    return {
      kind: 'worker',
      ...place,
      since,
      workers: 'none',
      ...(served.length > 0 && { served }),
      ...(idle.length > 0 && { idle }),
    };
  }

  async #lookBelow(
    execution: WorkflowExecutionDescription,
  ): Promise<Diagnosis & { readonly retrying: readonly Retrying[] }> {
    const retrying: Retrying[] = [];
    let waitsFor: WaitsFor | undefined;
    let lastPoll: LastPoll | undefined;
    for (const { workflowId } of execution.raw.pendingChildren ?? []) {
      if (!workflowId || this.#below === 0) continue;
      this.#below -= 1;
      const child = await describeIfThere(this.#client, { workflowId });
      if (child === undefined) continue;
      const found = await this.look(child);
      retrying.push(...(found.retrying ?? []));
      lastPoll ??= found.lastPoll;
      if (waitsFor !== undefined || found.waitsFor === undefined) continue;
      const { path = '' } = memoOf(child);
      waitsFor = { kind: 'child', workflowId, path, waitsFor: found.waitsFor };
    }
    return { retrying, ...defined({ waitsFor, lastPoll }) };
  }
}

/** The oldest open input. */
function inputOf(pending: readonly Input[]): WaitsFor | undefined {
  const [first] = pending.toSorted((one, other) => one.since.localeCompare(other.since));
  if (first === undefined) return undefined;
  const { inputId, kind: input, question, since, expiresAt, by } = first;
  return {
    kind: kindOf(first),
    inputId,
    input,
    question: oneLine(question, longestError),
    since,
    ...defined({ expiresAt, by }),
  };
}

function kindOf({ kind }: Input): 'person' | 'budget' | 'result' {
  if (kind === 'budget') return 'budget';
  return kind === 'tool' ? 'result' : 'person';
}
