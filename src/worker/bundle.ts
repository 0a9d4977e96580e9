import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkerOptions } from '@temporalio/worker';
import { encodesFailuresMark } from '../protocol/encryption';
import { fitsPrebuiltBundle } from './temporal-sdk';

type WorkflowSource = Pick<WorkerOptions, 'workflowBundle'> | Pick<WorkerOptions, 'workflowsPath'>;

/**
 * Where workers without workflows of their own get ours from: the bundle built with the package, which starts in a fraction of the
 * time. A checkout that is not built, and a worker on an older minor version of Temporal's SDK, bundle the modules when they start.
 * There is one bundle more, with the failure converter of `encryption`.
 */
export function prebuiltWorkflows({ encodesFailures = false } = {}): WorkflowSource {
  const name = encodesFailures ? 'workflow-bundle-encrypted.js' : 'workflow-bundle.js';
  const codePath = path.join(__dirname, '..', name);
  if (fitsPrebuiltBundle() && existsSync(codePath)) return { workflowBundle: { codePath } };
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

/** Refuses what is encrypted on one side only: interceptors of all workflows. */
export function encryptionModule(): string {
  return require.resolve('../workflows/encryption');
}

/** Whether a bundle of the user's own was built with the failure converter of `encryption`. */
export function hasFailureConverter(bundle: NonNullable<WorkerOptions['workflowBundle']>): boolean {
  const code = 'code' in bundle ? bundle.code : readFileSync(bundle.codePath, 'utf8');
  return code.includes(encodesFailuresMark);
}
