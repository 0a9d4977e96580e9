// A worker of the campaign, in a process of its own. Usage: worker.mts '<JSON of WorkerSettings>'

import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { hasCode } from 'longhaul';
import { FileResults, PostgresDeltas, PostgresStores, SqliteStores } from 'longhaul/stores';
import { createWorker, type CreateWorkerOptions } from 'longhaul/worker';
import { planRound, type Scale } from './random-plan.mts';
import { measureProcess } from './measure.mts';
import { soakPlan } from './soak-plan.mts';
import { workerOptions } from './worker-options.mts';

export type WorkerSettings = {
  readonly address: string;
  readonly taskQueue: string;
  readonly hub: string;
  /** The file of effects: one JSON a line. */
  readonly ledger: string;
  /** What the runners are made of: of a seed, or the steady load. */
  readonly plan: { readonly seed: number; readonly scale: Scale } | 'soak';
  /** A file, or the URL of a PostgreSQL server. */
  readonly store: string;
  /** The folder of a result store. */
  readonly results: string | undefined;
};

const settings = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings;
process.once('disconnect', () => process.exit());
Runtime.install({ logger: new DefaultLogger('ERROR') });

const { store, results, hub, ledger } = settings;
const isPostgres = store.startsWith('postgres');

async function post(path: string, body: object): Promise<Response> {
  return await fetch(`${hub}/${path}`, { method: 'POST', body: JSON.stringify(body) });
}

const plan =
  settings.plan === 'soak' ? soakPlan : planRound(settings.plan.seed, settings.plan.scale);

const options: CreateWorkerOptions = {
  address: settings.address,
  taskQueue: settings.taskQueue,
  ...workerOptions(
    plan,
    isPostgres
      ? new PostgresStores({ connectionString: store })
      : new SqliteStores({ path: store }),
    {
      pid: process.pid,
      hub,
      arrive: async (arrival) => (await (await post('arrive', arrival)).json()) as object,
      later: async (call) => void (await post('later', call)),
      record: (effect) => appendFileSync(ledger, `${JSON.stringify(effect)}\n`),
    },
  ),
  ...(results && { results: new FileResults({ folder: results }) }),
  ...(isPostgres && { deltas: new PostgresDeltas({ connectionString: store }) }),
};

/** As whatever keeps workers up does: the server may be down when one comes up. */
async function comeUp(): ReturnType<typeof createWorker> {
  for (;;) {
    try {
      return await createWorker(options);
    } catch (error) {
      if (!hasCode(error, 'ServerUnavailable')) throw error;
      await sleep(500);
    }
  }
}

const worker = await comeUp();
process.on('message', () => process.send?.(measureProcess()));
process.send?.('polling');
await worker.run();
process.exit();
