import type { Longhaul } from 'longhaul/client';

/** A run and those it started: every step, branch, task and agent that was called is a run of its own. */
export type RunTree = {
  readonly workflowId: string;
  /** `manager/research`: the way from the root. */
  readonly path: string;
  readonly agentId: string;
  readonly status: string;
  /** Model calls of its own. */
  readonly turns: number;
  readonly children: readonly RunTree[];
};

/** Reads the tree from what the server keeps: the children stand in the history of the run that called them. */
export async function readTree(longhaul: Longhaul, workflowId: string): Promise<RunTree> {
  const { events } = await longhaul.client.workflow.getHandle(workflowId).fetchHistory();
  const started = (events ?? []).flatMap(
    (event) => event.childWorkflowExecutionStartedEventAttributes?.workflowExecution ?? [],
  );
  const children: RunTree[] = [];
  for (const { workflowId } of started) {
    if (typeof workflowId === 'string') children.push(await readTree(longhaul, workflowId));
  }
  const { path, runner, status, turn } = await longhaul.run(workflowId).state();
  return { workflowId, path, agentId: runner, status, turns: turn, children };
}

/** One entry a run, the root first, each with its depth. */
export function* flatten(tree: RunTree, depth = 0): Generator<RunTree & { depth: number }> {
  yield { ...tree, depth };
  for (const child of tree.children) yield* flatten(child, depth + 1);
}
