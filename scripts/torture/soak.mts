// A steady load on one worker: fails when the process's memory, handles or timers grow.

import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'longhaul/client';
import { Asides } from './asides.mts';
import { Caller } from './client.mts';
import { expectRound } from './expect.mts';
import { openHub } from './hub.mts';
import { growthOf, type Sample } from './measure.mts';
import { ModelDouble } from './model-double.mts';
import { actsOf } from './oracles.mts';
import { People } from './people.mts';
import { runThread } from './run-thread.mts';
import { runTree, type TortureSetup } from './run-tree.mts';
import { Random } from './random.mts';
import { Server } from './server.mts';
import { soakPlan } from './soak-plan.mts';
import { openStore } from './stores.mts';
import { WorkerPlace } from './workers.mts';

const taskQueue = 'torture';
const runsAtOnce = 6;
const threadsAtOnce = 2;
/** Of a soak that is shorter than an hour there are as many, closer together. */
const samplesTaken = 120;
const shortestPauseMs = 5_000;

export type SoakOptions = { readonly minutes: number; readonly tell: (line: string) => void };

/** Whether nothing grew, and all came to what it should. */
export async function soak(options: SoakOptions): Promise<boolean> {
  const cleanups: (() => Promise<unknown>)[] = [];
  try {
    return await run(options, (cleanup) => cleanups.push(cleanup));
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

async function run(
  { minutes, tell }: SoakOptions,
  onEnd: (cleanup: () => Promise<unknown>) => void,
): Promise<boolean> {
  const wrongs: string[] = [];
  const report = (wrong: string): void => void wrongs.push(wrong);
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-soak-'));
  onEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const ledger = join(folder, 'effects.jsonl');
  writeFileSync(ledger, '');
  const store = await openStore('sqlite', folder);
  onEnd(() => store.close());
  const server = await Server.start(join(folder, 'temporal.db'));
  onEnd(() => server.stop());
  const longhaul = await connect({ address: server.address, taskQueue });
  onEnd(() => longhaul.close());
  const expectation = expectRound(soakPlan);
  const model = new ModelDouble(expectation, report);
  const hub = await openHub({
    arrive: () => Promise.resolve({}),
    callModel: ({ body }, response) => model.answer(body, response),
    callMcp: () => Promise.reject(new Error('the soak draws no pictures')),
    later: () => report('the soak has no results from elsewhere'),
  });
  onEnd(() => hub.close());
  const { address } = server;
  const urls = { hub: hub.url, store: store.url };
  const place = new WorkerPlace(
    { address, taskQueue, ledger, plan: 'soak', results: undefined, ...urls },
    { onWrong: report },
  );
  onEnd(() => place.close());
  await place.polling();

  const caller = new Caller(report);
  const random = new Random(0);
  const { isSigned } = soakPlan.settings;
  const people = new People({
    caller,
    random,
    acts: actsOf(soakPlan),
    trees: new Map(),
    isSigned,
    forge: () => Promise.resolve(),
    report,
  });
  const { memory, state } = store;
  const asides = new Asides({ longhaul, caller, report });
  const { rolls } = model;
  const { session: sessions } = state;
  const shared = { longhaul, caller, people, asides, expectation, rolls, memory, sessions };
  const setup: TortureSetup = {
    ...shared,
    wasReset: () => false,
    settles: async () => true,
    goesOn: () => undefined,
    report,
    refusals: [],
  };
  const deadline = Date.now() + minutes * 60_000;
  const load = keepBusy(setup, deadline);
  const samples = await sampled(place, deadline, (sample) => {
    truncateSync(ledger);
    tell(`${JSON.stringify(sample)}, ${load.count()} runs and turns`);
  });
  await load.ended;
  return judge(samples, { wrongs, done: load.count(), modelCalls: model.calls });
}

type Load = { readonly ended: Promise<unknown>; count(): number };

function keepBusy(setup: TortureSetup, deadline: number): Load {
  const { signal } = new AbortController();
  const [tree] = soakPlan.trees;
  const [thread] = soakPlan.threads;
  if (tree === undefined || thread === undefined) throw new Error('the soak has nothing to do');
  let done = 0;
  const again = async (work: (number: number) => Promise<void>): Promise<void> => {
    while (Date.now() < deadline) {
      done += 1;
      await work(done).catch((error: unknown) => setup.report(String(error)));
    }
  };
  const runs = Array.from({ length: runsAtOnce }, () =>
    again((number) => runTree(setup, tree, { signal, workflowId: `t1-${number}` })),
  );
  const threads = Array.from({ length: threadsAtOnce }, () =>
    again((number) => runThread(setup, thread, { signal, sessionId: `c1-${number}` })),
  );
  return { ended: Promise.all([...runs, ...threads]), count: () => done };
}

async function sampled(
  place: WorkerPlace,
  deadline: number,
  onSample: (sample: Sample) => void,
): Promise<readonly Sample[]> {
  const start = Date.now();
  const pauseMs = Math.max(shortestPauseMs, (deadline - start) / samplesTaken);
  const samples: Sample[] = [];
  while (Date.now() + pauseMs < deadline) {
    await sleep(pauseMs);
    const sample = { seconds: (Date.now() - start) / 1_000, ...(await place.measure()) };
    samples.push(sample);
    onSample(sample);
  }
  return samples;
}

function judge(
  samples: readonly Sample[],
  { wrongs, ...counts }: { wrongs: readonly string[]; done: number; modelCalls: number },
): boolean {
  const growths = growthOf(samples);
  console.log(
    `${samples.length} samples, ${counts.done} runs and conversations, ${counts.modelCalls} model calls`,
  );
  console.log('Of the worker, after garbage collection, over the second half:');
  const shown = (what: string, value: number): string =>
    what === 'resources' ? value.toFixed(1) : `${(value / 1_000_000).toFixed(1)} MB`;
  console.table(
    Object.fromEntries(
      growths.map(({ what, ...numbers }) => [
        what,
        Object.fromEntries(
          Object.entries(numbers).map(([name, value]) => [name, shown(what, value)]),
        ),
      ]),
    ),
  );
  const grown = growths.filter(({ growth, allowed }) => growth > allowed);
  for (const { what } of grown) console.log(`WRONG: ${what} grows`);
  for (const wrong of new Set(wrongs)) console.log(`WRONG: ${wrong}`);
  return grown.length === 0 && wrongs.length === 0;
}
