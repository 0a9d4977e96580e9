// The server a benchmark runs on: an address, or `dev` for a dev server of its own. Default: TEMPORAL_ADDRESS, else a dev server.
import { startDevServer } from 'longhaul/testing';

export const usualServer = process.env['TEMPORAL_ADDRESS'] || 'dev';

export async function withServer(
  work: (address: string) => Promise<void>,
  given = usualServer,
): Promise<void> {
  if (given !== 'dev') return await work(given);
  const server = await startDevServer({ headless: true });
  try {
    await work(server.address);
  } finally {
    await server.stop();
  }
}
