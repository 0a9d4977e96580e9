import type { Client } from '@temporalio/client';
import { findOrphans } from '../../client/orphans';
import { printableLine } from '../render/printable';
import type { Check } from './check';
import { summary } from './look';

const mostRuns = 1_000;

/** Runs that a reset left behind: they wait for answers nobody will give, or spend on results nobody will take. */
export async function checkOrphans(client: Client): Promise<Omit<Check, 'name'>> {
  const { orphans, isAll } = await findOrphans(client, {}, mostRuns);
  const found = orphans.map(
    ({ runId, path }) => `${printableLine(runId)} (${printableLine(path)})`,
  );
  const message = summary(found, isAll ? undefined : `looked at the newest ${mostRuns} open runs`);
  if (orphans.length === 0) return { status: 'ok', message };
  return {
    status: 'warn',
    message: `left behind by a reset: ${message}`,
    todo: 'end them with `longhaul cancel --orphans`',
  };
}
