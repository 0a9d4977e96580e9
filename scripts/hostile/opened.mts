// What a round needs: a server, what is outside of the workers, the handler, and workers.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Longhaul } from 'longhaul/client';
import { Server } from '../torture/server.mts';
import { WorkerPlace } from '../torture/workers.mts';
import type { Effect } from './agents.mts';
import { Bank } from './bank.mts';
import { HandlerPlace } from './handler-place.mts';
import { openHub } from './hub.mts';
import { Judge } from './judge.mts';
import { ModelDouble } from './model-double.mts';
import { peopleOf, type Person } from './people.mts';
import { send } from './request.mts';
import { operationsOf, type Operation } from './routes.mts';
import { World } from './world.mts';

const taskQueue = 'hostile';
const workersEach = 2;
/** How long a tool works. */
const workMs = 150;

export type Opened = {
  readonly people: readonly Person[];
  readonly wrongs: ReadonlySet<string>;
  readonly world: World;
  readonly judge: Judge;
  readonly operations: readonly Operation[];
  readonly longhaul: Longhaul;
  readonly handler: HandlerPlace;
  readonly url: string;
  readonly places: readonly WorkerPlace[];
  readonly model: ModelDouble;
  readonly effects: readonly Effect[];
};

type OnEnd = (cleanup: () => Promise<unknown>) => void;

type OpenOptions = {
  readonly seed: number;
  readonly tell: (line: string) => void;
  /** Gets what ends each thing that was opened. */
  readonly onEnd: OnEnd;
};

type Given = OpenOptions & {
  readonly address: string;
  readonly longhaul: Longhaul;
  readonly report: (wrong: string) => void;
};

export async function openWorld({ seed, tell, onEnd }: OpenOptions): Promise<Opened> {
  const wrongs = new Set<string>();
  const report = (wrong: string): void => {
    tell(`WRONG: ${wrong}`);
    wrongs.add(wrong);
  };
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-hostile-'));
  onEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const server = await Server.start(join(folder, 'temporal.db'));
  onEnd(() => server.stop());
  const { address } = server;
  const longhaul = await connect({ address, taskQueue });
  onEnd(() => longhaul.close());
  const people = peopleOf(seed);
  const world = new World(report);
  const given = { seed, tell, onEnd, address, longhaul, report };
  const { hub, model, effects } = await openOutside(given);
  const { handler, url, deltas } = await openHandler(given, people);
  const document = await send(url, { method: 'GET', path: '/openapi.json', headers: {} });
  const operations = operationsOf(JSON.parse(document.text));
  const judge = new Judge(world, people, operations);
  const places = await openWorkers(given, { address, taskQueue, hub, deltas });
  const attacked = { longhaul, handler, url, places, model, effects };
  return { people, wrongs, world, judge, operations, ...attacked };
}

/** The model, the bank, and what tools did. */
async function openOutside({ seed, longhaul, report, onEnd }: Given) {
  const bank = new Bank(seed, { longhaul, report });
  onEnd(async () => bank.close());
  const model = new ModelDouble((result) => bank.judgeResult(result));
  const effects: Effect[] = [];
  const hub = await openHub({
    callModel: (body, response) => model.answer(body, response),
    tell: async (effect) => {
      effects.push(effect);
      if (effect.tool === 'collect') bank.take(effect);
      if (effect.tool === 'work') await sleep(workMs);
    },
  });
  onEnd(() => hub.close());
  return { hub: hub.url, model, effects };
}

async function openHandler({ address, report, onEnd }: Given, people: readonly Person[]) {
  const handler = new HandlerPlace(
    { address, taskQueue, people },
    {
      onHold: ({ ms, request }) => report(`a request held the event loop for ${ms} ms: ${request}`),
      onWrong: report,
    },
  );
  onEnd(() => handler.close());
  return { handler, ...(await handler.ready()) };
}

async function openWorkers(
  { report, onEnd }: Given,
  settings: object,
): Promise<readonly WorkerPlace[]> {
  const script = join(import.meta.dirname, 'worker.mts');
  const places = Array.from(
    { length: workersEach },
    () => new WorkerPlace(settings, { onWrong: report, script }),
  );
  for (const place of places) onEnd(() => place.close());
  await Promise.all(places.map((place) => place.polling()));
  return places;
}
