import { Worker } from '@temporalio/worker';
import { workflowBundlePath } from '../servers';
import { quietRuntime } from '../workflow/quiet';

export type NamedHistory = {
  readonly name: string;
  /** As fetched, or the JSON that Temporal exports. */
  readonly history: object;
  /** Where the run had children: their ids follow from its own. */
  readonly workflowId?: string;
};

/**
 * Why each history does not replay on the workflows as they are now, by name; undefined where it does. One worker replays them one
 * after the other.
 */
export async function replayAll(
  histories: Iterable<NamedHistory> | AsyncIterable<NamedHistory>,
): Promise<ReadonlyMap<string, Error | undefined>> {
  quietRuntime();
  const pushed: NamedHistory[] = [];
  async function* inOrder() {
    for await (const named of histories) {
      pushed.push(named);
      yield { workflowId: named.workflowId ?? named.name, history: named.history };
    }
  }
  const workflowBundle = { codePath: workflowBundlePath() };
  const outcomes = new Map<string, Error | undefined>();
  let count = 0;
  for await (const { runId, error } of Worker.runReplayHistories({ workflowBundle }, inOrder())) {
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

/** What the replay knows a history by: that of a run that was reset names the execution it was reset from. */
function originalRunId({ history }: NamedHistory): string | undefined {
  type Started = { readonly originalExecutionRunId?: string };
  const { events } = history as { readonly events?: readonly Record<string, Started>[] };
  return events?.[0]?.['workflowExecutionStartedEventAttributes']?.originalExecutionRunId;
}
