import { existsSync } from 'node:fs';
import path from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';

type WorkflowSource = Pick<WorkerOptions, 'workflowBundle'> | Pick<WorkerOptions, 'workflowsPath'>;

/**
 * Where workers without workflows of their own get ours from: the bundle built with the package, which starts in a fraction of the
 * time; a checkout that is not built bundles the source.
 */
export function prebuiltWorkflows(): WorkflowSource {
  const codePath = path.join(__dirname, '..', 'workflow-bundle.js');
  if (existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowsPath: workflowsModule() };
}

/** The module a user's own workflow file must export from. */
export function workflowsModule(): string {
  return require.resolve('../workflows');
}

/** Evaluated once for all runs of a worker: of what bundles hold of ours, it is most of what a run that waits takes of memory. */
export function sharedModule(): string {
  return require.resolve('../workflows/deflated-json');
}
