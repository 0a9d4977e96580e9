// Longhaul: a tool with needsApproval, and `approve` from a client. VARIANT says how the team deploys: the new worker replaces the old one;
// the same, and the new tool `accepts` the old arguments; or runs are pinned to a version of the worker, and its workers run on.
import { defineAgent, defineTool } from 'longhaul';
import { connect } from 'longhaul/client';
import { createWorker } from 'longhaul/worker';
import { modelUrl, refund, step, store, task, tell } from './step.mjs';

const team = await import(step === 'serve' ? './code-old.mjs' : './code.mjs');
const { code, description, input, prompt } = team;
const variant = process.env.VARIANT;
const workflowId = process.env.RUN;
const place = { address: store, taskQueue: workflowId };
const refunds = defineAgent({
  id: 'refunds',
  model: 'double/model',
  instructions: prompt,
  tools: [
    defineTool({
      name: 'refund',
      description,
      inputSchema: input,
      ...(variant === 'accepts' && team.accepts && { accepts: team.accepts }),
      needsApproval: true,
      effect: 'once',
      execute: (args) => refund(code, args),
    }),
  ],
});
const version = { deploymentName: `deploy-${workflowId}`, buildId: code };
const worker = await createWorker({
  ...place,
  runners: [refunds],
  providers: { double: { api: 'openai-chat', apiKey: 'none', baseURL: modelUrl } },
  // Temporal's own option, because the version before has none of ours.
  ...(variant === 'pinned' && {
    workerOptions: {
      workerDeploymentOptions: {
        version,
        useWorkerVersioning: true,
        defaultVersioningBehavior: 'PINNED',
      },
    },
  }),
});
void worker.run();
const longhaul = await connect(place);
if (variant === 'pinned' && step !== 'serve') await makeCurrent();

if (step === 'park') {
  const run = await longhaul.start('refunds', task, { workflowId });
  tell({ parked: (await run.outcome()).kind });
} else if (step === 'approve') {
  const run = longhaul.run(workflowId);
  const [{ inputId, outdated }] = await run.pending();
  await run.approve(inputId);
  const outcome = await run.outcome();
  tell({ ended: outcome.result?.finalResponse.text ?? outcome, outdated });
  process.exit();
}

/** The server knows a version once a worker of it polls. */
async function makeCurrent() {
  for (;;) {
    try {
      await longhaul.client.workflowService.setWorkerDeploymentCurrentVersion({
        namespace: 'default',
        deploymentName: version.deploymentName,
        buildId: version.buildId,
        ignoreMissingTaskQueues: true,
      });
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
