// Longhaul: a tool with needsApproval, and `approve` from a client.
import { defineAgent, defineTool } from 'longhaul';
import { connect } from 'longhaul/client';
import { createWorker } from 'longhaul/worker';
import { code, description, input, prompt } from './code.mjs';
import { modelUrl, refund, step, store, task, tell } from './step.mjs';

const place = { address: store, taskQueue: 'survival-longhaul' };
const workflowId = process.env.RUN;
const refunds = defineAgent({
  id: 'refunds',
  model: 'double/model',
  instructions: prompt,
  tools: [
    defineTool({
      name: 'refund',
      description,
      inputSchema: input,
      needsApproval: true,
      effect: 'once',
      execute: (args) => refund(code, args),
    }),
  ],
});
const worker = await createWorker({
  ...place,
  runners: [refunds],
  providers: { double: { api: 'openai-chat', apiKey: 'none', baseURL: modelUrl } },
});
void worker.run();
const longhaul = await connect(place);

if (step === 'park') {
  const run = await longhaul.start('refunds', task, { workflowId });
  tell({ parked: (await run.outcome()).kind });
} else {
  const run = longhaul.run(workflowId);
  const [{ inputId }] = await run.pending();
  await run.approve(inputId);
  const outcome = await run.outcome();
  tell({ ended: outcome.result?.finalResponse.text ?? outcome });
  process.exit();
}
