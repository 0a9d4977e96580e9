import { Worker } from '@temporalio/worker';
import { workflowBundlePath } from '../servers';
import { quietRuntime } from '../workflow/quiet';

export type NamedHistory = {
  readonly name: string;
  /** As fetched, or the JSON that Temporal exports. */
  readonly history: object;
  /** Where the run had children: their ids follow from its own. `name` is then `<workflow id> <execution run id>`. */
  readonly workflowId?: string;
};

/** Why each history does not replay on the workflows as they are now, by name; undefined where it does. */
export async function replayAll(
  histories: Iterable<NamedHistory> | AsyncIterable<NamedHistory>,
): Promise<ReadonlyMap<string, Error | undefined>> {
  quietRuntime();
  const names: string[] = [];
  async function* numbered() {
    for await (const { name, history, workflowId = name } of histories) {
      names.push(name);
      yield { workflowId, history };
    }
  }
  const workflowBundle = { codePath: workflowBundlePath() };
  const outcomes = new Map<string, Error | undefined>();
  for await (const { workflowId, runId, error } of Worker.runReplayHistories(
    { workflowBundle },
    numbered(),
  )) {
    const execution = `${workflowId} ${runId}`;
    outcomes.set(names.includes(execution) ? execution : workflowId, error);
  }
  const forgotten = names.filter((name) => !outcomes.has(name));
  if (forgotten.length > 0) throw new Error(`not replayed: ${forgotten.join(', ')}`);
  return outcomes;
}
