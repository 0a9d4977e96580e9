import { deflateSync, strToU8 } from 'fflate';
import { endOfPage, pageThatTravels } from '../../core/transcript/log-page';
import { utf8Length } from '../../base/text';
import type { PullLogInput } from '../../protocol/activities';
import type { LogEntry, LogPage, LogRef } from '../../protocol/log';
import type { ActivityDependencies } from '../dependencies';
import { withHeartbeat } from '../heartbeat';
import { askClosedLog, readClosedLog } from './read-log';

/**
 * A page of an earlier execution's log from `from` on, as much as fits one result: deflated JSON of a `LogPage`. From memory where that has
 * it, else of the closed run, as it comes.
 */
export async function pullLog(
  { replica }: ActivityDependencies,
  { log, from }: PullLogInput,
): Promise<Uint8Array> {
  return await withHeartbeat(async (signal) => {
    if (replica.held(log.workflowId) <= from) return await askClosedLog(log, from);
    return pageOf(log, await readClosedLog(replica, log, signal), from);
  });
}

function pageOf(
  { length, digest }: LogRef,
  entries: readonly LogEntry[],
  from: number,
): Uint8Array {
  const sizes = entries.map((entry) => utf8Length(JSON.stringify(entry)));
  return pageThatTravels({
    page: (maxBytes): LogPage => {
      const end = endOfPage(sizes, from, maxBytes);
      return { from, entries: entries.slice(from, end), length, digest };
    },
    deflate: (page) => deflateSync(strToU8(JSON.stringify(page))),
  });
}
