// The server a benchmark runs on: the one TEMPORAL_ADDRESS names, else a dev server of its own.
import { startDevServer } from 'longhaul/testing';

export async function withServer(work: (address: string) => Promise<void>): Promise<void> {
  const given = process.env['TEMPORAL_ADDRESS'];
  if (given !== undefined && given !== '') return await work(given);
  const server = await startDevServer({ headless: true });
  try {
    await work(server.address);
  } finally {
    await server.stop();
  }
}
