import { connect, type Longhaul } from 'longhaul/client';
import { chooseModel, type ChosenModel } from './choose-model.mts';
import { startServer } from './local-server.mts';
import type { Screen } from './screen.mts';
import type { Script } from './script.mts';
import { WorkerProcess } from './worker-process.mts';

/** All that a run needs: a server, a model, a client, and workers in processes of their own. */
export type Stage = {
  /** Of the Temporal server. */
  readonly address: string;
  readonly longhaul: Longhaul;
  readonly model: ChosenModel;
  startWorker(): Promise<WorkerProcess>;
  /** The page of a run in Temporal's Web UI. */
  pageOf(workflowId: string): string;
};

/** Whatever was started is in `cleanups`, even if the next thing could not be. */
export type Cleanups = (() => Promise<unknown> | undefined)[];

/** What one example brings. */
export type StagePlan = {
  /** The model's part when there is no key. */
  readonly script: Script;
  /** The file of its worker process, and what it is told beside server and model. */
  readonly worker: URL;
  readonly settings?: object;
};

export type StageHands = { readonly screen: Screen; readonly cleanups: Cleanups };

export async function openStage(plan: StagePlan, hands: StageHands): Promise<Stage> {
  const { screen, cleanups } = hands;
  const server = await startServer(screen);
  cleanups.push(() => server.stop());
  const { address, uiUrl } = server;
  const model = await chooseModel(plan.script);
  cleanups.push(() => model.offline?.stop());
  screen.line('model', model.description);
  const longhaul = await connect({ address });
  const offlineURL = model.offline?.baseURL;
  const settings = {
    ...plan.settings,
    address,
    model: model.model,
    ...(offlineURL !== undefined && { offlineURL }),
  };
  return {
    address,
    longhaul,
    model,
    startWorker: async () => {
      const worker = await WorkerProcess.start(plan.worker, settings);
      cleanups.push(() => worker.stop());
      screen.line(
        'worker',
        `process ${worker.pid} takes work from task queue ${longhaul.taskQueue}`,
      );
      return worker;
    },
    pageOf: (workflowId) =>
      `${uiUrl}/namespaces/default/workflows/${encodeURIComponent(workflowId)}`,
  };
}
