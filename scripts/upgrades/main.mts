// Begins runs and conversations with one version of Longhaul, and ends them with another: the release before, this one, and a next one.
// Usage: npm run upgrades -- [--orders 0,3] [--only <words of a case's title>] [--keep <folder>]
// With --keep, the folder stays, with the versions and what their processes wrote. Without --orders and --only, the table replaces RESULTS.md.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startDevServer } from 'longhaul/testing';
import { impatientCli } from '../impatient-cli.mts';
import { buildVersions } from './builds.mts';
import { Hub } from './hub.mts';
import { OrderRun, type World } from './order.mts';
import { orders } from './orders.mts';
import { Table } from './table.mts';

/** Long enough that only cases that are about it continue as new. */
const eventsPerExecution = 80;

const { values } = parseArgs({
  options: {
    orders: { type: 'string' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
  },
});
const scratch = resolve(values.keep ?? (await mkdtemp(join(tmpdir(), 'longhaul-upgrades-'))));
await mkdir(scratch, { recursive: true });
const start = performance.now();
const tell = (text: string): void =>
  console.log(`${((performance.now() - start) / 1_000).toFixed(0)} s: ${text}`);

/** Undisturbed first: what it writes to the logs, the others have to write, too. */
async function runOrders(world: World, table: Table): Promise<void> {
  const chosen = values.orders?.split(',').map(Number);
  for (const [number, order] of orders.entries()) {
    if (number > 0 && chosen?.includes(number) === false) continue;
    tell(order.title);
    const seen = await new OrderRun(world, order, { number, only: values.only }).run();
    for (const problem of table.add(order, seen)) tell(`  WRONG: ${problem}`);
  }
}

/** Returns how many cells of the table are wrong. */
async function compareVersions(): Promise<number> {
  const { folders, previous } = await buildVersions(scratch);
  tell('the versions are built');
  const hub = await Hub.start();
  const server = await startDevServer({
    headless: true,
    cliPath: await impatientCli(scratch, { events: eventsPerExecution }),
  });
  const table = new Table(previous);
  try {
    await runOrders({ address: server.address, hub, folders, scratch }, table);
  } finally {
    await server.stop();
    await hub.stop();
  }
  console.log(`\n${table.text()}`);
  const isWhole = values.orders === undefined && values.only === '';
  if (isWhole) await writeFile(join(import.meta.dirname, 'RESULTS.md'), table.page());
  tell(table.problems === 0 ? 'nothing is lost' : `${table.problems} cells are wrong`);
  return table.problems;
}

try {
  process.exitCode = (await compareVersions()) === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  if (values.keep === undefined) await rm(scratch, { recursive: true, force: true });
}
