// Reads the trace of a run: the histories of all its executions and of the runs below, and the activities that are open now.

import type { Client } from '@temporalio/client';
import { defined, grpcStatus } from '../../../base';
import { type Definition, hasCode, LonghaulError } from '../../../protocol';
import { limited } from '../../server/calls';
import { asLonghaulError, hasGrpcStatus, runNotFound } from '../../server/failures';
import { RunView } from '../../read/run-view';
import { Decoder } from '../payloads';
import { executionsOf, type Step } from '../steps';
import { type Below, buildTrace, pinnedIn } from './build-trace';
import type { PendingAttempt } from './calls-of';
import type { RunTrace } from './run-trace';

/** What a trace reads at most. */
export type TraceOptions = {
  /** Default 200, the run itself included. */
  readonly runs?: number;
  /** Events of all histories together. Default 20,000. */
  readonly events?: number;
};

/** Runs to read at once. */
const atATime = 4;

type Past = {
  readonly executions: readonly (readonly Step[])[];
  readonly gaps: readonly string[];
  readonly cut?: 'events';
};

/** Throws `RunNotFound`. Whatever else it cannot read is a gap. */
export async function readTrace(
  client: Client,
  workflowId: string,
  options: TraceOptions,
): Promise<RunTrace> {
  try {
    return await new TraceReader(client, options).read(workflowId);
  } catch (error) {
    throw asLonghaulError(error);
  }
}

class TraceReader {
  readonly #client: Client;
  readonly #limited = limited(atATime);
  #runsLeft: number;
  #eventsLeft: number;

  constructor(client: Client, { runs = 200, events = 20_000 }: TraceOptions) {
    for (const [name, limit] of Object.entries({ runs, events }))
      if (!Number.isInteger(limit) || limit < 1)
        throw new LonghaulError('InvalidInput', `trace takes a whole number of ${name} from 1 on`);
    this.#client = client;
    this.#runsLeft = runs - 1;
    this.#eventsLeft = events;
  }

  async read(workflowId: string, inherited?: Definition): Promise<RunTrace> {
    const decoder = new Decoder(this.#client);
    const past = await this.#limited(() => this.#past(workflowId));
    const steps = past.executions.flat();
    const isOpen = !steps.some(({ kind }) => kind === 'close');
    const pending = isOpen ? await this.#limited(() => this.#pending(workflowId)) : noAttempts;
    const definition = (await pinnedIn(steps, decoder)) ?? inherited;
    const called = steps.flatMap((step) => (step.kind === 'child' ? [step.workflowId] : []));
    const below = called.map(async (id) => [id, await this.#below(id, definition)] as const);
    const children = new Map(await Promise.all(below));
    const now = new Date().toISOString();
    return await buildTrace({ workflowId, ...past, pending, children, definition, now }, decoder);
  }

  async #below(workflowId: string, definition: Definition | undefined): Promise<Below> {
    if (this.#runsLeft <= 0) return { cut: 'runs' };
    this.#runsLeft -= 1;
    try {
      return await this.read(workflowId, definition);
    } catch (error) {
      if (!hasCode(error, 'RunNotFound')) throw error;
      return { gap: 'it has not started, or the server has deleted it' };
    }
  }

  /** All executions, also if the limit of events ends the reading within one. */
  async #past(workflowId: string): Promise<Past> {
    const executions: (readonly Step[])[] = [];
    let cut: 'events' | undefined;
    const mayRead = (): boolean => {
      if (this.#eventsLeft <= 0) cut = 'events';
      else this.#eventsLeft -= 1;
      return cut === undefined;
    };
    try {
      for await (const { steps } of executionsOf(this.#client, workflowId, mayRead))
        executions.unshift(steps);
      return { executions, gaps: [], ...defined({ cut }) };
    } catch (error) {
      if (!hasGrpcStatus(error, grpcStatus.notFound)) throw error;
      if (executions.length === 0) throw runNotFound(workflowId, error);
      return { executions, gaps: ['the server has deleted earlier executions'] };
    }
  }

  async #pending(workflowId: string): Promise<ReadonlyMap<string, PendingAttempt>> {
    const { raw } = await new RunView(this.#client, workflowId).describe();
    const decoder = new Decoder(this.#client);
    const found = (raw.pendingActivities ?? []).map(async (activity) => {
      const error = await decoder.text(activity.lastFailure);
      const attempt = activity.attempt ?? 1;
      const attempts = activity.state === scheduled ? attempt - 1 : attempt;
      return [activity.activityId ?? '', { attempts, ...defined({ error }) }] as const;
    });
    return new Map(await Promise.all(found));
  }
}

/** In the server's API: `PENDING_ACTIVITY_STATE_SCHEDULED`, before the first attempt and between attempts. */
const scheduled: unknown = 1;

const noAttempts: ReadonlyMap<string, PendingAttempt> = new Map();
