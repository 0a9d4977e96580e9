import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DevServer, findTemporalCli, startDevServer } from '../../src/server/dev/index.ts';
import type { Screen } from './screen.mts';

type Built = {
  readonly findTemporalCli: typeof findTemporalCli;
  readonly startDevServer: typeof startDevServer;
};

/** Longer than a look at this machine takes: the Temporal CLI is being fetched. */
const fetchingAfterMs = 1_500;

/** Where `longhaul dev` keeps its runs too. */
const databaseFile = join('.longhaul', 'temporal.db');

/** Temporal's own dev server, on 127.0.0.1 and free ports. */
export async function startServer(screen: Screen): Promise<DevServer> {
  const { findTemporalCli, startDevServer } = await built();
  const notice = (): void => screen.line('server', 'fetching the Temporal CLI (45 MB, once) …');
  const timer = setTimeout(notice, fetchingAfterMs);
  const cliPath = await findTemporalCli().finally(() => clearTimeout(timer));
  await mkdir('.longhaul', { recursive: true });
  try {
    const server = await startDevServer({ cliPath, dbFile: databaseFile });
    screen.line(
      'server',
      `Temporal's dev server, ${server.address}; keeps its runs in ${databaseFile}`,
    );
    return server;
  } catch (error) {
    if (!String(error).includes('database is locked')) throw error;
    const server = await startDevServer({ cliPath });
    screen.line(
      'server',
      `Temporal's dev server, ${server.address}; another one is using ${databaseFile}, so nothing is kept`,
    );
    return server;
  }
}

/** Not an entry of the package: users start it with `longhaul dev`. */
async function built(): Promise<Built> {
  return (await import(new URL('../../dist/server/dev/index.js', import.meta.url).href)) as Built;
}
