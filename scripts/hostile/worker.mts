// A worker of the campaign, in a process of its own. Usage: worker.mts '<JSON of HostileWorkerSettings>'

import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Deltas } from 'longhaul/stores';
import { createWorker } from 'longhaul/worker';
import { runnersOf } from './agents.mts';

export type HostileWorkerSettings = {
  readonly address: string;
  readonly taskQueue: string;
  readonly hub: string;
  /** Where the handler's process takes what model calls say while they say it. */
  readonly deltas: string;
};

const settings = JSON.parse(process.argv[2] ?? '{}') as HostileWorkerSettings;
process.once('disconnect', () => process.exit());
Runtime.install({ logger: new DefaultLogger('ERROR') });

const batchMs = 20;

/** Sends what it is given to the process of the handler, in order. What is lost is lost: that is what deltas may do. */
function deltasTo(url: string): Deltas {
  let batch: unknown[] = [];
  let sent: Promise<unknown> = Promise.resolve();
  const flush = (): void => {
    const body = JSON.stringify(batch);
    batch = [];
    sent = sent.then(() => fetch(url, { method: 'POST', body })).catch(() => undefined);
  };
  return {
    publish: (event) => {
      if (batch.push(event) === 1) setTimeout(flush, batchMs);
    },
    subscribe: () => () => undefined,
    close: () => Promise.resolve(),
  };
}

const worker = await createWorker({
  address: settings.address,
  taskQueue: settings.taskQueue,
  runners: runnersOf(async (effect) => {
    const body = JSON.stringify(effect);
    const response = await fetch(`${settings.hub}/effect`, { method: 'POST', body });
    if (!response.ok) throw new Error(`the hub answered ${response.status}`);
  }),
  providers: { hostile: { api: 'openai-chat', baseURL: `${settings.hub}/v1` } },
  deltas: deltasTo(settings.deltas),
  workerOptions: { shutdownGraceTime: '1s' },
});
process.send?.('polling');
await worker.run();
process.exit();
