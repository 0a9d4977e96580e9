// The workflows that you have already, with an agent in one of them.
import { proxyActivities } from '@temporalio/workflow';
import { executeRunner } from 'longhaul/workflows';

// What agents run in.
export * from 'longhaul/workflows';

type Activities = { sendLetter(text: string): Promise<string> };
const { sendLetter } = proxyActivities<Activities>({ startToCloseTimeout: '1 minute' });

export async function remind(customer: string): Promise<string> {
  const { finalResponse } = await executeRunner('writer', `Remind ${customer} of what is open.`);
  return await sendLetter(finalResponse.text);
}
