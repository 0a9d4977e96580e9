// Mastra as its documentation has it: requireApproval on the tool, snapshots in LibSQL, approveToolCallGenerate.
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { code, description, input, prompt } from './code.mjs';
import { modelUrl, parked, refund, step, store, task, tell } from './step.mjs';

const refunds = new Agent({
  id: 'refunds',
  name: 'refunds',
  instructions: prompt,
  model: { id: 'openai/double', url: modelUrl, apiKey: 'none' },
  tools: {
    refund: createTool({
      id: 'refund',
      description,
      inputSchema: input,
      requireApproval: true,
      execute: async (args) => refund(code, args),
    }),
  },
});
const mastra = new Mastra({
  agents: { refunds },
  storage: new LibSQLStore({ id: 'store', url: `file:${store}/mastra.db` }),
  logger: false,
});
const agent = mastra.getAgent('refunds');

if (step === 'park') {
  const output = await agent.generate(task);
  if (output.finishReason !== 'suspended') throw new Error(`Error: ${output.finishReason}`);
  tell({ parked: { runId: output.runId, toolCallId: output.suspendPayload.toolCallId } });
  setInterval(() => undefined, 1_000);
} else {
  const output = await agent.approveToolCallGenerate(parked);
  if (output.error !== undefined) throw output.error;
  tell({ ended: output.text });
  process.exit();
}
