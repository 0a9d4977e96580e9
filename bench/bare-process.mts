// Temporal by itself, to be measured: activities that do nothing, and a wait for a signal.
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { answerCommands, until } from './answer-commands.mts';
import './quiet-runtime.mts';

const [, , address = '', taskQueue = '', codePath = ''] = process.argv;
const workflowsPath = new URL('bare-workflows.ts', import.meta.url).pathname;

if (!existsSync(codePath)) {
  const logger = new DefaultLogger('ERROR');
  writeFileSync(codePath, (await bundleWorkflowCode({ workflowsPath, logger })).code);
}
const workflowBundle = { codePath };
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle,
  activities: { answer: (input: string) => Promise.resolve(input) },
  maxCachedWorkflows: 2_000,
});
void worker.run();
const { workflow } = new Client({ connection: await Connection.connect({ address }) });

answerCommands({
  turns: async (turns) => {
    const workflowId = `bare-${randomUUID()}`;
    await workflow.execute('bareTurns', { workflowId, taskQueue, args: [turns] });
    return workflowId;
  },
  wait: async () => {
    const handle = await workflow.start('bareWait', { workflowId: randomUUID(), taskQueue });
    await until(async () => (await handle.describe()).historyLength >= 4);
  },
  replays: (copies) => Worker.runReplayHistories({ workflowBundle }, copies),
});
