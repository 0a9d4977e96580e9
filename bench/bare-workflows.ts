// What a plain child workflow with one activity takes: the measure of bench/sub-agent.mts.
import { executeChild, proxyActivities } from '@temporalio/workflow';

const { answer } = proxyActivities<{ answer(input: string): Promise<string> }>({
  startToCloseTimeout: '1 minute',
});

export async function bareChild(input: string): Promise<string> {
  return await answer(input);
}

export async function bareParent(input: string): Promise<string> {
  return await executeChild(bareChild, { args: [input] });
}
