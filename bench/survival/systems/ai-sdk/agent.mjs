// @temporalio/ai-sdk: AiSdkPlugin on the worker, a workflow of one's own, tools as activities. The store is the Temporal server.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { code } from './code.mjs';
import { modelUrl, refund, step, store, task, tell } from './step.mjs';
import { untilWaiting } from './until-waiting.mjs';

const taskQueue = 'survival-ai-sdk';
const workflowId = process.env.RUN;
const modelProvider = createOpenAICompatible({ name: 'double', baseURL: modelUrl, apiKey: 'none' });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: store }),
  taskQueue,
  workflowsPath: new URL('workflow.mjs', import.meta.url).pathname,
  activities: { refund: async (args) => refund(code, args) },
  plugins: [new AiSdkPlugin({ modelProvider })],
});
void worker.run();
const { workflow } = new Client({ connection: await Connection.connect({ address: store }) });

if (step === 'park') {
  const handle = await workflow.start('refunds', { workflowId, taskQueue, args: [task] });
  await untilWaiting(handle);
  tell({ parked: true });
} else {
  const handle = workflow.getHandle(workflowId);
  await handle.signal('approve');
  tell({ ended: await handle.result() });
  process.exit();
}
