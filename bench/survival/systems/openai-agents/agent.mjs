// @temporalio/openai-agents: OpenAIAgentsPlugin on worker and client, a workflow of one's own, tools as activities. The store is the Temporal server.
import { OpenAIProvider } from '@openai/agents-openai';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { code } from './code.mjs';
import { modelUrl, refund, step, store, task, tell } from './step.mjs';
import { untilWaiting } from './until-waiting.mjs';

const taskQueue = 'survival-openai-agents';
const workflowId = process.env.RUN;
const modelProvider = new OpenAIProvider({
  apiKey: 'none',
  baseURL: modelUrl,
  useResponses: false,
});
const plugins = [
  new OpenAIAgentsPlugin({ modelProvider, modelParams: { startToCloseTimeout: '30s' } }),
];
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: store }),
  taskQueue,
  workflowsPath: new URL('workflow.cjs', import.meta.url).pathname,
  activities: { refund: async (args) => refund(code, args) },
  plugins,
});
void worker.run();
const connection = await Connection.connect({ address: store });
const { workflow } = new Client({ connection, plugins });

if (step === 'park') {
  const handle = await workflow.start('refunds', { workflowId, taskQueue, args: [{ task }] });
  await untilWaiting(handle);
  tell({ parked: true });
} else {
  const handle = workflow.getHandle(workflowId);
  await handle.signal('approve');
  tell({ ended: await handle.result() });
  process.exit();
}
