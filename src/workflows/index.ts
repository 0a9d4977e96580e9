// The workflow types, for the sandbox: users with workflows of their own export these from their workflow file. Beside them is what
// such workflows start runs with.

import type { AgentRunResult, ChildResult, RunInput } from '../protocol/run';
import type { ThreadInput } from '../protocol/thread';
import { durable } from './durable';
import { Run } from './run';
import { ThreadLoop } from './thread/thread-loop';

export {
  executeRunner,
  startRunner,
  type StartedRunner,
  type StartRunnerOptions,
} from './children/execute-runner';
export type { RunnerLike } from '../protocol/spec';

type RunWorkflow = (input: RunInput, carried?: Uint8Array) => Promise<AgentRunResult | ChildResult>;

/**
 * Each of these workflows runs any runner. The type only says what a run was started as, so that a list of workflows tells an agent
 * from a pipeline. `carried` is what the execution before this one handed over by continue-as-new.
 */
const runWorkflow: RunWorkflow = async (input, carried) =>
  await durable(async () => await new Run({ input, carried }).run());

export const agentWorkflow: RunWorkflow = async (input, carried) =>
  await runWorkflow(input, carried);

/** Runs one runner after the other. */
export const sequentialWorkflow: RunWorkflow = async (input, carried) =>
  await runWorkflow(input, carried);

/** Runs several runners at the same time. */
export const parallelWorkflow: RunWorkflow = async (input, carried) =>
  await runWorkflow(input, carried);

/** Runs tasks that wait for each other. */
export const graphWorkflow: RunWorkflow = async (input, carried) =>
  await runWorkflow(input, carried);

/** One conversation, by application, user and session. */
export async function threadWorkflow(input: ThreadInput, carried?: Uint8Array): Promise<void> {
  await durable(async () => await new ThreadLoop({ input, carried }).run());
}
