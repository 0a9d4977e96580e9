// A run every night, by Temporal's own schedules: they start the workflow `agentWorkflow` with the input of a run.
import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleOverlapPolicy } from '@temporalio/client';
import { defineAgent, type RunInput } from 'longhaul';
import type { Longhaul } from 'longhaul/client';
import { scriptedModel } from 'longhaul/testing';
import type { CreateWorkerOptions } from 'longhaul/worker';

const reporter = defineAgent({ id: 'reporter', model: 'openai/gpt-6.1-terra' });

const model = scriptedModel(['Three orders wait for a reply.']);

export default { runners: [reporter], providers: { openai: model } } satisfies CreateWorkerOptions;

/** Once, for instance when you deploy. The schedule lives in the server. */
export async function schedule(longhaul: Longhaul, scheduleId: string) {
  const input: RunInput = { runner: 'reporter', input: 'Which orders wait for a reply?' };
  return await longhaul.client.schedule.create({
    scheduleId,
    spec: { calendars: [{ hour: 2, minute: 30 }], timezone: 'Europe/Berlin' },
    policies: { overlap: ScheduleOverlapPolicy.SKIP }, // not while the last one still runs
    action: {
      type: 'startWorkflow',
      workflowType: 'agentWorkflow',
      workflowId: scheduleId, // each run gets this id with its time behind it
      taskQueue: longhaul.taskQueue,
      workflowTaskTimeout: '5 seconds', // as our client sets it
      args: [input],
    },
  });
}

export async function main(longhaul: Longhaul) {
  const nightly = await schedule(longhaul, `nightly-${longhaul.taskQueue}`);
  const { nextActionTimes } = (await nightly.describe()).info;

  await nightly.trigger(); // does not wait for the night
  let started: string | undefined;
  while (started === undefined) {
    await sleep(50);
    const [first] = (await nightly.describe()).info.recentActions;
    started = first?.action.workflow.workflowId;
  }
  const { finalResponse } = await longhaul.run(started).result();
  return { next: nextActionTimes[0], run: started, answer: finalResponse.text };
}
