// The simulator against a real dev server: one table of scripts runs on both, and the histories and the results are the same. So the
// simulator cannot drift from what Temporal does.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Lines } from './histories';
import { pause, type Script } from './kit';
import type { Played } from './play';
import { RealEngine } from './real-engine';
import { table } from './scripts/table';

const atATime = 8;
/** How long the real server may take to finish what is under way when a script ends. */
const settlesMs = 10_000;

const wanted = process.env['LONGHAUL_SCRIPT'] ?? '';
const scripts = table.filter(({ name }) => name.includes(wanted));

async function simulated(): Promise<Readonly<Record<string, Played>>> {
  const args = [
    '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
    '--import',
    './test/run-sources.mts',
    join(__dirname, 'simulated.mts'),
    wanted,
  ];
  const options = { maxBuffer: 64 * 1_024 * 1_024 };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return JSON.parse(stdout) as Record<string, Played>;
}

/** Plays a script on the dev server, until its histories are those expected or do not change any more. */
async function real(engine: RealEngine, script: Script, expects: Promise<Lines>): Promise<Played> {
  const { result, histories, tidy } = await engine.play(script);
  const expected = await expects;
  const until = Date.now() + settlesMs;
  let found = await histories();
  while (JSON.stringify(found) !== JSON.stringify(expected) && Date.now() < until) {
    await pause(100);
    found = await histories();
  }
  await tidy();
  return { result, histories: found };
}

describe('the simulator does what a dev server does', () => {
  const engine = new RealEngine();
  const played = new Map<string, Promise<Played>>();
  let expected: Readonly<Record<string, Played>>;
  beforeAll(async () => {
    const simulation = simulated();
    await engine.open();
    const waiting = [...scripts];
    const lane = async (): Promise<void> => {
      for (let script = waiting.shift(); script !== undefined; script = waiting.shift()) {
        const { name } = script;
        const expects = simulation.then((all) => all[name]?.histories ?? {});
        const playing = real(engine, script, expects);
        played.set(name, playing);
        await playing.catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: atATime }, lane));
    expected = await simulation;
  });
  afterAll(() => engine.close());

  it.each(scripts.map(({ name }) => name))('%s', async (name) => {
    expect(expected[name]).toEqual(await played.get(name));
  });
});
