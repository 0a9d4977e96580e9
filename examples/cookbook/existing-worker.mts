// A worker that you have already: a plugin adds agents to its workflows and activities. Its activities become tools.
import { fileURLToPath } from 'node:url';
import { type NativeConnection, Worker } from '@temporalio/worker';
import { activityTool, defineAgent } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { scriptedModel } from 'longhaul/testing';
import { LonghaulPlugin } from 'longhaul/worker';
import { z } from 'zod';
import type { remind } from './existing-workflows.ts';

// Your activities, as they are.
const activities = {
  openAmount: ({ customer }: { customer: string }) => Promise.resolve({ customer, euros: 340 }),
  sendLetter: (text: string) => Promise.resolve(`sent: ${text}`),
};

const openAmount = activityTool({
  name: 'open_amount',
  description: 'Says how much a customer has to pay',
  inputSchema: z.object({ customer: z.string() }),
  activity: 'openAmount', // its type; taskQueue: where its workers are, if elsewhere
});
const writer = defineAgent({ id: 'writer', model: 'openai/gpt-6.1-terra', tools: [openAmount] });

const model = scriptedModel([
  { toolCalls: [{ name: 'open_amount', args: { customer: 'Harbour Café' } }] },
  'Please pay 340 euros.',
]);

export async function worker(connection: NativeConnection, taskQueue: string) {
  return await Worker.create({
    connection,
    taskQueue,
    activities,
    workflowsPath: fileURLToPath(new URL('existing-workflows.ts', import.meta.url)),
    plugins: [new LonghaulPlugin({ runners: [writer], providers: { openai: model } })],
  });
}

export async function main(longhaul: Longhaul) {
  // Your workflow, started as ever. It calls the agent as a child workflow.
  const letter = await longhaul.client.workflow.execute<typeof remind>('remind', {
    taskQueue: longhaul.taskQueue,
    workflowId: `remind-${longhaul.taskQueue}`,
    args: ['Harbour Café'],
  });
  return { letter };
}
