import type { Longhaul } from '../../client';
import { printableLine } from '../printable';
import type { Check } from './check';

const mostShown = 5;

/** Runs that a reset left behind: they wait for answers nobody will give, or spend on results nobody will take. */
export async function checkOrphans(longhaul: Longhaul): Promise<Omit<Check, 'name'>> {
  const orphans = await longhaul.orphans();
  if (orphans.length === 0) return { status: 'ok', message: 'none' };
  const shown = orphans
    .slice(0, mostShown)
    .map(({ runId, path }) => `${printableLine(runId)} (${printableLine(path)})`);
  const more = orphans.length > mostShown ? [`and ${orphans.length - mostShown} more`] : [];
  return {
    status: 'warn',
    message: `left behind by a reset: ${[...shown, ...more].join('; ')}`,
    todo: 'end them with `longhaul cancel --orphans`',
  };
}
