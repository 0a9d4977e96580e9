// `npm run example cookbook <recipe>`: one recipe, with a dev server and a worker of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { connect, type Longhaul } from 'longhaul/client';
import { startDevServer } from 'longhaul/testing';
import { createWorker, type CreateWorkerOptions } from 'longhaul/worker';
import { runDemo } from '../shared/run-demo.mts';
import type { Cleanups, StageHands } from '../shared/stage.mts';

/** What the file of a recipe exports: what a worker serves, or a worker, and what a program of yours does. */
type Recipe = {
  readonly default?: CreateWorkerOptions;
  readonly worker?: (connection: NativeConnection, taskQueue: string) => Promise<Worker>;
  readonly main: (longhaul: Longhaul) => Promise<object>;
};

const notRecipes = ['demo.mts', 'faults.test.mts'];
const recipes = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.mts') && !notRecipes.includes(file))
  .map((file) => file.replace('.mts', ''));

async function demo({ screen, cleanups }: StageHands): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const server = await startDevServer();
  cleanups.push(() => server.stop());
  const { address, uiUrl } = server;
  screen.line('server', `Temporal's dev server, ${address}; its Web UI: ${uiUrl}`);
  if (name.includes('postgres')) process.env['DATABASE_URL'] ??= await startPostgres(cleanups);
  const recipe = (await import(`./${name}.mts`)) as Recipe;
  const options = recipe.default ?? {};
  const { results } = options;
  const longhaul = await connect({ address, ...(results && { results }) });
  const connection = await NativeConnection.connect({ address });
  const worker =
    (await recipe.worker?.(connection, longhaul.taskQueue)) ??
    (await createWorker({ ...options, connection }));
  const result = await worker.runUntil(recipe.main(longhaul));
  screen.line('result', JSON.stringify(result, undefined, 2), 'green');
  if (screen.isInteractive) await screen.ask('Press Enter to stop the server. ');
}

/** The one of the tests. Yours is the one that DATABASE_URL names. */
async function startPostgres(cleanups: Cleanups): Promise<string> {
  const file = fileURLToPath(new URL('../../test/contract/postgres-server.mts', import.meta.url));
  const server = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  cleanups.push(async () => {
    server.stdin.end();
    await once(server, 'exit');
  });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  return line.toString().trim();
}

const name = process.argv[2] ?? '';
if (recipes.includes(name)) await runDemo(`Longhaul cookbook: ${name}`, demo);
else {
  console.error(`usage: npm run example cookbook <recipe>; there are ${recipes.join(', ')}`);
  process.exitCode = 2;
}
