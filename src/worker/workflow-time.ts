import type { WorkerOptions } from '@temporalio/worker';

/** An option that Temporal's worker reads and its types do not name. */
type WorkflowTime = { readonly isolateExecutionTimeout?: string };

/**
 * How long a workflow may compute before it gives up its thread. Temporal's SDK stops it after 5 seconds and tries its task again. If that
 * happens in a promise, Node before 24 ends the whole process ("async hook stack has become corrupted", nodejs/node#38503), and a busy
 * machine alone may take the 5 seconds. So there it is stopped only if it will hardly end by itself.
 */
export function workflowTime(
  { debugMode = false }: Pick<WorkerOptions, 'debugMode'>,
  nodeVersion = process.versions.node,
): WorkflowTime {
  const survives = Number.parseInt(nodeVersion, 10) >= 24;
  // In debug mode, the SDK sets no limit.
  return survives || debugMode ? {} : { isolateExecutionTimeout: '1 minute' };
}
