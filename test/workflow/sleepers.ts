// Workflows of the tests of skipped time.

import {
  executeChild,
  proxyActivities,
  sleep,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';

const { slow } = proxyActivities<{ slow(): Promise<string> }>({ startToCloseTimeout: '1 minute' });

export async function sleeper(days: number): Promise<string> {
  await sleep(days * 24 * 3_600_000);
  return `slept ${days} days`;
}

export async function parentOfSleeper(days: number): Promise<string> {
  return executeChild(sleeper, { args: [days], workflowId: `${workflowInfo().workflowId}-child` });
}

/** Real work beside a timer: the timer must not be skipped to before the work is done. */
export async function worksBesideTimer(): Promise<string> {
  return Promise.race([slow(), sleep('1 day').then(() => 'timer')]);
}

export async function paused(): Promise<string> {
  upsertMemo({ longhaul: { status: 'needs-input', agent: 'a' } });
  await sleep('7 days');
  return 'nobody answered';
}
