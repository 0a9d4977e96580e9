// The `agent` workflow: one run of one agent. `AgentLoop` drives the machine; errors become failures here.

import { AgentLoop } from './agent-loop';
import { durable } from './durable';
import type { AgentRunResult, RunInput } from '../protocol/run';

/** `carried` is what the execution before this one handed over by continue-as-new. */
export async function agent(input: RunInput, carried?: Uint8Array): Promise<AgentRunResult> {
  const loop = new AgentLoop(input, carried);
  return await durable(() => loop.run());
}
