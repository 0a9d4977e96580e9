// Reads the trace of a run: the histories of all its executions and of the runs below, and the activities that are open now.

import type { Client } from '@temporalio/client';
import { grpcStatus } from '../../../base/grpc-status';
import { hasCode, LonghaulError } from '../../../protocol/errors';
import type { Definition } from '../../../protocol/spec';
import { limited } from '../../server/calls';
import { asLonghaulError, hasGrpcStatus, runNotFound } from '../../server/failures';
import { type HistoryEvent, historyEvents } from '../history';
import { RunView } from '../../read/run-view';
import { type Below, buildTrace, pinnedIn } from './build-trace';
import type { PendingAttempt } from './calls-of';
import { type PastEvent, PastEvents } from './past-event';
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

const eventsPerPage = 200;

type Past = {
  readonly executions: readonly (readonly PastEvent[])[];
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
    const past = await this.#limited(() => this.#past(workflowId));
    const events = past.executions.flat();
    const isOpen = !events.some(({ kind }) => kind === 'close');
    const pending = isOpen ? await this.#limited(() => this.#pending(workflowId)) : noAttempts;
    const definition = pinnedIn(events) ?? inherited;
    const called = events.flatMap((event) => (event.kind === 'child' ? [event.workflowId] : []));
    const below = called.map(async (id) => [id, await this.#below(id, definition)] as const);
    const children = new Map(await Promise.all(below));
    const now = new Date().toISOString();
    return buildTrace({ workflowId, ...past, pending, children, definition, now });
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
    const facts = new PastEvents(this.#client);
    const executions: PastEvent[][] = [];
    const gaps: string[] = [];
    for (let runId: string | undefined = ''; runId !== undefined;) {
      const events: PastEvent[] = [];
      executions.unshift(events);
      let previous: string | undefined;
      try {
        for await (const event of this.#events(workflowId, runId)) {
          if (this.#eventsLeft <= 0) return { executions, gaps: facts.gaps, cut: 'events' };
          this.#eventsLeft -= 1;
          previous ??= previousOf(event);
          events.push(...(await facts.read(event)));
        }
      } catch (error) {
        if (!hasGrpcStatus(error, grpcStatus.notFound)) throw error;
        if (runId === '') throw runNotFound(workflowId, error);
        executions.shift();
        gaps.push('the server has deleted earlier executions');
      }
      runId = previous;
    }
    return { executions, gaps: [...gaps, ...facts.gaps] };
  }

  #events(workflowId: string, runId: string): AsyncIterable<HistoryEvent> {
    const execution = { workflowId, ...(runId !== '' && { runId }) };
    return historyEvents(this.#client, execution, eventsPerPage);
  }

  async #pending(workflowId: string): Promise<ReadonlyMap<string, PendingAttempt>> {
    const { raw } = await new RunView(this.#client, workflowId).describe();
    const facts = new PastEvents(this.#client);
    const found = (raw.pendingActivities ?? []).map(async (activity) => {
      const error = await facts.failureText(activity.lastFailure);
      const attempt = activity.attempt ?? 1;
      const attempts = activity.state === scheduled ? attempt - 1 : attempt;
      return [activity.activityId ?? '', { attempts, ...(error && { error }) }] as const;
    });
    return new Map(await Promise.all(found));
  }
}

/** In the server's API: `PENDING_ACTIVITY_STATE_SCHEDULED`, before the first attempt and between attempts. */
const scheduled: unknown = 1;

const noAttempts: ReadonlyMap<string, PendingAttempt> = new Map();

function previousOf(event: HistoryEvent): string | undefined {
  const previous = event.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  return previous === '' || previous === null ? undefined : previous;
}
