// The workflow types. Each runs whatever its runner is: the type only says what a run was started as, so that a list of workflows
// tells an agent from a pipeline, and a start by id need not know.

import type { AgentRunResult, ChildResult, RunInput } from '../protocol/run';
import { durable } from './durable';
import { Run } from './run';

type RunWorkflow = (input: RunInput, carried?: Uint8Array) => Promise<AgentRunResult | ChildResult>;

/** `carried` is what the execution before this one handed over by continue-as-new. */
export const agentWorkflow: RunWorkflow = async (input, carried) => await start(input, carried);

/** One runner after the other. */
export const sequentialWorkflow: RunWorkflow = async (input, carried) =>
  await start(input, carried);

/** Runners at the same time. */
export const parallelWorkflow: RunWorkflow = async (input, carried) => await start(input, carried);

/** Tasks that wait for each other. */
export const graphWorkflow: RunWorkflow = async (input, carried) => await start(input, carried);

async function start(input: RunInput, carried: Uint8Array | undefined): ReturnType<RunWorkflow> {
  return await durable(async () => await new Run({ input, carried }).run());
}
