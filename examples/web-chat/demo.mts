// `npm run example web-chat`: a chat in the browser. One process is the worker, the HTTP server, and the server of the page.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { connect } from 'longhaul/client';
import { ProcessDeltas } from 'longhaul/stores';
import { createWorker } from 'longhaul/worker';
import { chooseModel } from '../shared/choose-model.mts';
import { startServer } from '../shared/local-server.mts';
import { runDemo } from '../shared/run-demo.mts';
import type { StageHands } from '../shared/stage.mts';
import { demoOptions } from '../shared/worker-settings.mts';
import { travelAgent } from './agent.mts';
import { nextTurn } from './offline-script.mts';
import { buildPage } from './page-files.mts';
import { startWebServer } from './web-server.mts';

/** Slow enough to be read while it streams. */
const pace = { latency: 60, chunkSize: 12 };

async function demo({ screen, cleanups }: StageHands): Promise<void> {
  const page = await buildPage();
  const server = await startServer(screen);
  cleanups.push(() => server.stop());
  const { address } = server;
  const { model, description, offline } = await chooseModel(nextTurn, pace);
  cleanups.push(async () => await offline?.stop());
  screen.line('model', description);

  // The demo stops the worker, after the HTTP server.
  Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
  const deltas = new ProcessDeltas();
  const offlineURL = offline?.baseURL;
  const settings = { address, model, ...(offlineURL !== undefined && { offlineURL }) };
  const runners = [travelAgent(model)];
  const worker = await createWorker({ ...demoOptions(settings), runners, deltas });
  const ended = worker.run();
  cleanups.push(async () => {
    worker.shutdown();
    await ended;
  });
  const longhaul = await connect({ address });
  cleanups.push(() => longhaul.close());
  const web = await startWebServer(longhaul, { deltas, page });
  cleanups.push(web.close);

  screen.line('page', web.url, 'green');
  await Promise.race([
    ended,
    ...(screen.isInteractive ? [screen.ask('Press Enter to stop. ')] : []),
  ]);
}

await runDemo('Longhaul example: a chat in the browser', demo);
