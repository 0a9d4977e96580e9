// `npm run example own-workflow`: a hand-written workflow that calls agents between its own activities and timers.
// Usage: npm run example own-workflow -- [the number of an invoice]
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InboxItem, Longhaul } from 'longhaul/client';
import { answerTo } from '../shared/pauses.mts';
import { runDemo } from '../shared/run-demo.mts';
import { openStage, type StageHands } from '../shared/stage.mts';
import { nextTurn } from './offline-script.mts';

const patienceMs = 3_000;

async function demo(hands: StageHands): Promise<void> {
  const { screen } = hands;
  const worker = new URL('worker.mts', import.meta.url);
  const stage = await openStage({ script: nextTurn, worker }, hands);
  const { longhaul } = stage;
  await stage.startWorker();
  const invoice = process.argv[2] ?? '2024-17';
  const workflowId = `invoice-${invoice}-${randomUUID().slice(0, 8)}`;
  // A workflow of one's own is started as any is: by Temporal's client.
  const own = await longhaul.client.workflow.start('collectPayment', {
    taskQueue: longhaul.taskQueue,
    workflowId,
    args: [invoice, patienceMs],
  });
  screen.line('workflow', `${workflowId}, in Temporal's Web UI:\n${stage.pageOf(workflowId)}`);

  const result = own.result() as Promise<string>;
  const asked = await Promise.race([result, questionOf(longhaul, `${workflowId}.advice`)]);
  if (typeof asked !== 'string') {
    screen.line('from', `${asked.workflowId} (${asked.agentId}) has a question`, 'yellow');
    const answer = await answerTo(asked, screen);
    await longhaul.run(asked.workflowId).resume(answer, { inputId: asked.inputId });
  }
  screen.line('result', await result, 'magenta');
  await longhaul.close();
  if (screen.isInteractive) await screen.ask('Press Enter to stop the server and the worker. ');
}

/** The inbox lists what all runs wait for, those of other workflows included; `whole` adds the options of a question. */
async function questionOf(longhaul: Longhaul, workflowId: string): Promise<InboxItem> {
  for (;;) {
    for await (const item of longhaul.inbox({ whole: true }))
      if (item.workflowId === workflowId) return item;
    await sleep(200);
  }
}

await runDemo('Longhaul example: agents in a workflow of your own', demo);
