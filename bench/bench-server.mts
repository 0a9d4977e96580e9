// The server a benchmark runs on: the one TEMPORAL_ADDRESS names, else a dev server of its own.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startDevServer } from 'longhaul/testing';

export async function withServer(work: (address: string) => Promise<void>): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
  const given = process.env['TEMPORAL_ADDRESS'];
  if (given !== undefined && given !== '') return await work(given);
  const server = await startDevServer({ headless: true });
  try {
    await work(server.address);
  } finally {
    await server.stop();
  }
}
