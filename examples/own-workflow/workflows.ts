// A workflow of one's own: activities and timers as in any, and agents where words or a person are needed.
import { proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import { executeRunner, startRunner } from 'longhaul/workflows';
import type * as activities from './activities.mts';

// What agents run in: the worker of this file serves both.
export * from 'longhaul/workflows';

const { findInvoice, sendLetter } = proxyActivities<typeof activities>({
  startToCloseTimeout: '1 minute',
});

/** Reminds a customer of an invoice, waits, and writes what an accountant wants once that was in vain. */
export async function collectPayment(invoiceId: string, patienceMs: number): Promise<string> {
  const invoice = await findInvoice(invoiceId);
  if (invoice.paid) return 'paid';
  const facts = `invoice ${invoice.id} of ${invoice.customer}, ${invoice.euros} euros`;

  const reminder = await executeRunner('reminder', `Remind of ${facts}.`);
  await sendLetter(invoiceId, reminder.finalResponse.text);

  // Asks the accountant while the customer has time to pay; its questions are answered under this workflow id.
  const workflowId = `${workflowInfo().workflowId}.advice`;
  const advice = await startRunner('advisor', `Still open: ${facts}.`, { workflowId });
  await sleep(patienceMs);
  // Nobody needs the advice any more: it ends with this workflow.
  if ((await findInvoice(invoiceId)).paid) return 'paid after a reminder';

  const { finalResponse } = await advice.result();
  await sendLetter(invoiceId, finalResponse.text);
  return finalResponse.text;
}
