import { Worker } from '@temporalio/worker';
import { workflowBundlePath } from '../servers';
import { quietRuntime } from '../workflow/quiet';

export type NamedHistory = {
  readonly name: string;
  /** As fetched, or the JSON that Temporal exports. */
  readonly history: object;
};

/** Why each history does not replay on the workflows as they are now, by name; undefined where it does. */
export async function replayAll(
  histories: Iterable<NamedHistory> | AsyncIterable<NamedHistory>,
): Promise<ReadonlyMap<string, Error | undefined>> {
  quietRuntime();
  const names: string[] = [];
  async function* numbered() {
    for await (const { name, history } of histories) {
      names.push(name);
      yield { workflowId: name, history };
    }
  }
  const workflowBundle = { codePath: workflowBundlePath() };
  const outcomes = new Map<string, Error | undefined>();
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle },
    numbered(),
  )) {
    outcomes.set(workflowId, error);
  }
  const forgotten = names.filter((name) => !outcomes.has(name));
  if (forgotten.length > 0) throw new Error(`not replayed: ${forgotten.join(', ')}`);
  return outcomes;
}
