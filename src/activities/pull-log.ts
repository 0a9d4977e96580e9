import { deflateSync, strToU8 } from 'fflate';
import type { PullLogInput } from '../protocol/activities';
import { limits } from '../protocol/limits';
import type { ActivityDependencies } from './dependencies';
import { withHeartbeat } from './heartbeat';
import { readClosedLog } from './read-log';

/** Entries of an earlier execution's log from `from` on, as many as fit one result: deflated JSON of a list. */
export async function pullLog(
  dependencies: ActivityDependencies,
  { log, from }: PullLogInput,
): Promise<Uint8Array> {
  return await withHeartbeat(async (signal) => {
    const entries = await readClosedLog(dependencies.replica, log, signal);
    let rest = entries.slice(from);
    for (;;) {
      const text = strToU8(JSON.stringify(rest));
      const page = text.length <= limits.inflated ? deflateSync(text) : undefined;
      if (page && (page.length <= limits.carriedLog || rest.length <= 1)) return page;
      rest = rest.slice(0, Math.ceil(rest.length / 2));
    }
  });
}
