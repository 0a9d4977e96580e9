// A round on real parts: a Temporal server, two processes of workers, a database.

import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'longhaul/client';
import { FileResults, PostgresDeltas } from 'longhaul/stores';
import { impatientCli } from '../impatient-cli.mts';
import { type Engine, taskQueue, workersEach } from './engine.mts';
import { openHub } from './hub.mts';
import { readEffects } from './oracles.mts';
import { planRound } from './random-plan.mts';
import { Server } from './server.mts';
import { openStore } from './stores.mts';
import { WorkerPlace } from './workers.mts';

/** Where more wants to run than there are cores, processes get a part of their time: a second then counts for less, but not for nothing. */
const leastShare = 0.2;

/** `keep`: a folder for what is left of rounds that fail. */
export const realEngine = (keep: string | undefined): Engine => ({
  share: () => {
    const [load = 0] = loadavg();
    return Math.max(leastShare, Math.min(1, availableParallelism() / Math.max(1, load)));
  },
  open: async ({ seed, scale }, onEnd) => {
    const folder = mkdtempSync(join(tmpdir(), 'longhaul-torture-'));
    onEnd(async () => rmSync(folder, { recursive: true, force: true }));
    onEnd(async (isWell) => {
      if (isWell || keep === undefined) return;
      cpSync(folder, join(keep, `seed-${seed}`), { recursive: true });
    });
    const plan = planRound(seed, scale);
    const file = join(folder, 'effects.jsonl');
    writeFileSync(file, '');
    const store = await openStore(plan.settings.store, folder);
    onEnd(() => store.close());
    const cliPath = await impatientCli(folder, plan.settings.suggestsAt);
    const server = await Server.start(join(folder, 'temporal.db'), cliPath);
    onEnd(() => server.stop());
    const results = plan.settings.hasResults ? join(folder, 'results') : undefined;
    const deltas = store.url.startsWith('postgres')
      ? new PostgresDeltas({ connectionString: store.url })
      : undefined;
    deltas?.logTo(() => undefined);
    onEnd(async () => deltas?.close());
    const { address } = server;
    const longhaul = await connect({
      address,
      taskQueue,
      ...(results && { results: new FileResults({ folder: results }) }),
      ...(deltas && { deltas }),
    });
    onEnd(() => longhaul.close());
    return {
      plan,
      store,
      server,
      longhaul,
      ledger: {
        record: (effect) => appendFileSync(file, `${JSON.stringify(effect)}\n`),
        read: () => readEffects(file),
      },
      openWorkers: async (handlers, onWrong) => {
        const hub = await openHub(handlers);
        onEnd(() => hub.close());
        const where = { address, taskQueue, hub: hub.url, ledger: file, store: store.url, results };
        const settings = { ...where, plan: { seed, scale } };
        const logFile = join(folder, 'workers.log');
        const places = Array.from({ length: workersEach }, () => {
          const place = new WorkerPlace(settings, { onWrong, logFile });
          onEnd(() => place.close());
          return place;
        });
        await Promise.all(places.map((place) => place.polling()));
        return places;
      },
    };
  },
});
