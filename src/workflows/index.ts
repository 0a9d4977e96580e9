// Longhaul's workflow types, and the functions that start runs from your own workflow. Import this file only in workflow code. Your
// workflow file must export all five types: `export * from 'longhaul/workflows'`.

import type { AgentRunResult, ChildResult, RunInput, ThreadInput } from '../protocol';
import { durable } from './durable';
import { Run } from './run';
import { ThreadLoop } from './thread/thread-loop';

export {
  executeRunner,
  startRunner,
  startSpec,
  type StartedRunner,
  type StartRunnerOptions,
} from './children/execute-runner';
export type { KnownRunner, RunnerWithSpec } from '../protocol';

type RunWorkflow = (input: RunInput, carried?: Uint8Array) => Promise<AgentRunResult | ChildResult>;

/**
 * Each workflow type can run any runner. The type only shows in a list of workflows what was started. After continue-as-new, `carried` is
 * the state of the execution before. The functions are not async: a waiting run would hold the promise of each async function, with its
 * stack.
 */
const runWorkflow: RunWorkflow = (input, carried) =>
  durable(() => new Run({ input, carried }).run());

/** Runs an agent. */
export const agentWorkflow: RunWorkflow = (input, carried) => runWorkflow(input, carried);

/** Runs one runner after another. */
export const sequentialWorkflow: RunWorkflow = (input, carried) => runWorkflow(input, carried);

/** Runs runners at the same time. */
export const parallelWorkflow: RunWorkflow = (input, carried) => runWorkflow(input, carried);

/** Runs tasks that depend on each other. */
export const graphWorkflow: RunWorkflow = (input, carried) => runWorkflow(input, carried);

/** Runs a conversation: one for each combination of application, user and session. */
export function threadWorkflow(input: ThreadInput, carried?: Uint8Array): Promise<void> {
  return durable(() => new ThreadLoop({ input, carried }).run());
}
