import { Worker, type WorkerOptions } from '@temporalio/worker';
import { longhaulSinks } from '../../src/worker/sinks';
import { workflowsInThread } from '../servers';
import { quietRuntime } from '../workflow/quiet';

export type NamedHistory = {
  readonly name: string;
  /** As fetched, or the JSON that Temporal exports. */
  readonly history: object;
  /** Where the run had children: their ids follow from its own. */
  readonly workflowId?: string;
};

/**
 * Replays each history on the workflows as they are now. Returns the error by name, undefined for a history that replays.
 * One worker replays one history after the other. It runs the workflows in this thread unless `debugMode` is false: the SDK
 * takes that option for replays, too, though its type leaves it out.
 */
export async function replayAll(
  histories: Iterable<NamedHistory> | AsyncIterable<NamedHistory>,
  options: Pick<WorkerOptions, 'debugMode' | 'workflowThreadPoolSize'> = {},
): Promise<ReadonlyMap<string, Error | undefined>> {
  quietRuntime();
  const pushed: NamedHistory[] = [];
  async function* inOrder() {
    for await (const named of histories) {
      pushed.push(named);
      yield { workflowId: named.workflowId ?? named.name, history: named.history };
    }
  }
  const settings = { ...workflowsInThread(), ...options, sinks: longhaulSinks() };
  const outcomes = new Map<string, Error | undefined>();
  let count = 0;
  for await (const { runId, error } of Worker.runReplayHistories(settings, inOrder())) {
    const named = pushed[count];
    count += 1;
    if (named === undefined || runId !== originalRunId(named))
      throw new Error(
        `'${named?.name ?? 'nothing'}' was replayed, and an end of ${runId} reported`,
      );
    outcomes.set(named.name, error);
  }
  const forgotten = pushed.slice(count).map(({ name }) => name);
  if (forgotten.length > 0) throw new Error(`not replayed: ${forgotten.join(', ')}`);
  return outcomes;
}

/** Results in the order of the calls, of which up to `atOnce` are under way. */
export async function* inOrderAhead<Result>(
  calls: Iterable<() => Promise<Result>> | AsyncIterable<() => Promise<Result>>,
  atOnce: number,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  for await (const call of calls) {
    underWay.push(call());
    if (underWay.length >= atOnce) yield (await underWay.shift()) as Result;
  }
  for (const last of underWay) yield await last;
}

/** What the replay knows a history by: that of a run that was reset names the execution it was reset from. */
function originalRunId({ history }: NamedHistory): string | undefined {
  type Started = { readonly originalExecutionRunId?: string };
  const { events } = history as { readonly events?: readonly Record<string, Started>[] };
  return events?.[0]?.['workflowExecutionStartedEventAttributes']?.originalExecutionRunId;
}
