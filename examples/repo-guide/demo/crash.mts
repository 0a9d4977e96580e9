import { setTimeout as sleep } from 'node:timers/promises';
import type { Screen } from '../../shared/screen.mts';
import type { Stage } from '../../shared/stage.mts';
import type { WorkerProcess } from '../../shared/worker-process.mts';
import { modelCallUnderWay } from './pending-calls.mts';

const onTheWireMs = 300;

export type CrashScene = {
  readonly stage: Stage;
  readonly screen: Screen;
  readonly workflowId: string;
  readonly worker: WorkerProcess;
};

/** Kills the worker in the middle of the run's next model call, and starts another one. */
export async function crashWorker({
  stage,
  screen,
  workflowId,
  worker,
}: CrashScene): Promise<void> {
  const { longhaul, model } = stage;
  const release = model.offline?.hold();
  try {
    if (!(await modelCallUnderWay(longhaul, workflowId))) return;
    await sleep(onTheWireMs);
    await worker.kill();
  } finally {
    release?.();
  }
  const what = `process ${worker.pid} was killed with SIGKILL in the middle of a model call`;
  screen.line('crash', what, 'red');
  await stage.startWorker();
  screen.line('', 'Temporal gives it the call when no heartbeat has come for 5 s …');
}
