import { setTimeout as sleep } from 'node:timers/promises';
import type { Longhaul } from 'longhaul/client';
import type { Screen } from './screen.mts';
import type { Stage } from './stage.mts';
import type { WorkerProcess } from './worker-process.mts';

/** `PENDING_ACTIVITY_STATE_STARTED` of the server's API. */
const started = 2;
const pollMs = 50;
const onTheWireMs = 300;

export type CrashScene = {
  readonly stage: Stage;
  readonly screen: Screen;
  readonly runId: string;
  readonly worker: WorkerProcess;
};

/** Kills the worker in the middle of the run's next model call, and starts another one. */
export async function crashWorker({ stage, screen, runId, worker }: CrashScene): Promise<void> {
  const { longhaul, model } = stage;
  const release = model.offline?.hold();
  try {
    if (!(await modelCallUnderWay(longhaul, runId))) return;
    await sleep(onTheWireMs);
    await worker.kill();
  } finally {
    release?.();
  }
  screen.line(
    'crash',
    `process ${worker.pid} was killed with SIGKILL in the middle of a model call`,
    'red',
  );
  await stage.startWorker();
  screen.line('worker', 'Temporal gives it the call when no heartbeat came for 10 s …');
  if (await modelCallUnderWay(longhaul, runId, 2))
    screen.line('worker', 'it has the call: attempt 2');
}

/** Waits until a worker is in the middle of a model call, at least the `attempt`-th of it. False: the run ended before. */
async function modelCallUnderWay(longhaul: Longhaul, runId: string, attempt = 1): Promise<boolean> {
  for (;;) {
    const { raw, status } = await longhaul.client.workflow.getHandle(runId).describe();
    if (status.name !== 'RUNNING') return false;
    const isUnderWay = (raw.pendingActivities ?? []).some(
      (activity) =>
        activity.activityType?.name === 'callModel' &&
        Number(activity.state) === started &&
        (activity.attempt ?? 1) >= attempt,
    );
    if (isUnderWay) return true;
    await sleep(pollMs);
  }
}
