// A worker of the campaign, in a process of its own. Usage: worker.mts '<JSON of WorkerSettings>'

import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { hasCode } from 'longhaul';
import {
  PostgresStores,
  SqliteStores,
  type MemoryStore,
  type SessionStore,
  type Stores,
} from 'longhaul/stores';
import { createWorker, type CreateWorkerOptions } from 'longhaul/worker';
import { PostgresDeltas } from 'longhaul/stores';
import { FileResults } from 'longhaul/stores';
import { planRound, type Scale } from './random-plan.mts';
import type { Verdict } from './hub.mts';
import type { Moment } from './plan.mts';
import { measureProcess } from './measure.mts';
import { runnersOf, type Outside } from './runners.mts';
import { soakPlan } from './soak-plan.mts';

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

const plan =
  settings.plan === 'soak' ? soakPlan : planRound(settings.plan.seed, settings.plan.scale);
const { logCacheBytes, maxCachedWorkflows, graceMs } = plan.settings;

/** The tree or thread that ids of runs and names of places start with. */
const ownerOf = (name: string): string => /(?:^|\/)([tc]\d+)/.exec(name)?.[1] ?? '';

async function at(moment: Moment, name: string, activity?: string): Promise<void> {
  const place = moment.startsWith('effect') ? { place: name } : {};
  const owner = ownerOf(name);
  const body = JSON.stringify({ pid: process.pid, moment, owner, activity, ...place });
  const response = await fetch(`${settings.hub}/arrive`, { method: 'POST', body });
  const { fails, waitsMs } = (await response.json()) as Verdict;
  if (waitsMs !== undefined) await new Promise((resolve) => setTimeout(resolve, waitsMs));
  if (fails === true) throw new Error(`the campaign fails this call: ${moment}`);
}

const outside: Outside = {
  due: (place) => at('effect due', place),
  record: (effect) => appendFileSync(settings.ledger, `${JSON.stringify(effect)}\n`),
  made: (place) => at('effect made', place),
  later: async (place, token) => {
    const body = JSON.stringify({ place, token });
    await fetch(`${settings.hub}/later`, { method: 'POST', body });
  },
  mcp: { url: `${settings.hub}/mcp`, headers: { 'x-pid': String(process.pid) } },
};

const aroundActivities = {
  execute: async (input: unknown, next: (input: never) => Promise<unknown>): Promise<unknown> => {
    const { workflowExecution, activityType } = Context.current().info;
    const name = workflowExecution?.workflowId ?? '';
    await at('activity begins', name, activityType);
    const result = await next(input as never);
    await at('activity done', name, activityType);
    return result;
  },
};

/** The store with a moment before and after each write. */
function withMoments(store: MemoryStore): MemoryStore {
  return {
    loadTurns: (...args) => store.loadTurns(...args),
    count: (...args) => store.count(...args),
    generation: (...args) => store.generation(...args),
    clear: (...args) => around(args[0], () => store.clear(...args)),
    saveTurn: (...args) => around(args[0], () => store.saveTurn(...args)),
  };
}

function sessionsWithMoments(store: SessionStore): SessionStore {
  return {
    load: (...args) => store.load(...args),
    exists: (...args) => store.exists(...args),
    version: (...args) => store.version(...args),
    delete: (...args) => around(args[0], () => store.delete(...args)),
    save: (...args) => around(args[0], () => store.save(...args)),
  };
}

async function around<Result>(
  { sessionId = '' }: { readonly sessionId?: string },
  write: () => Promise<Result>,
): Promise<Result> {
  await at('save due', sessionId);
  const result = await write();
  await at('save made', sessionId);
  return result;
}

function openStores(): Stores {
  const { store } = settings;
  const { app, user, session, memory } = store.startsWith('postgres')
    ? new PostgresStores({ connectionString: store })
    : new SqliteStores({ path: store });
  return {
    app,
    user,
    session: sessionsWithMoments(session),
    memory: { default: withMoments(memory.default) },
  };
}

const options: CreateWorkerOptions = {
  address: settings.address,
  taskQueue: settings.taskQueue,
  runners: runnersOf(plan, outside),
  providers: {
    torture: {
      api: 'openai-chat',
      baseURL: `${settings.hub}/v1`,
      headers: { 'x-pid': String(process.pid) },
    },
  },
  stores: openStores(),
  ...(settings.results && { results: new FileResults({ folder: settings.results }) }),
  ...(settings.store.startsWith('postgres') && {
    deltas: new PostgresDeltas({ connectionString: settings.store }),
  }),
  ...(logCacheBytes !== undefined && { logCacheBytes }),
  workerOptions: {
    shutdownGraceTime: graceMs,
    ...(maxCachedWorkflows !== undefined && { maxCachedWorkflows }),
    interceptors: { activity: [() => ({ inbound: aroundActivities })] },
  },
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
