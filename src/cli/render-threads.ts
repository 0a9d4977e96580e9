import type { ThreadSummary } from '../client';
import { paintStatus } from './paint-status';
import { printableLine } from './printable';
import { age, type RenderListOptions } from './render-list';
import { renderTable } from './table';

/** A line per thread: whose it is, its agent, status and age, and what it waits for as far as there is room. */
export function renderThreads(
  threads: readonly ThreadSummary[],
  { style, width, now }: RenderListOptions,
): readonly string[] {
  const rows = threads.map(({ threadId, key, agent, status, startTime, pending }) => [
    printableLine(key?.sessionId ?? threadId),
    printableLine(key?.userId ?? ''),
    printableLine(key?.appName ?? ''),
    printableLine(agent),
    { text: status, paint: () => paintStatus(status, style) },
    age(new Date(startTime), now),
    pending.map(({ question }) => printableLine(question)).join(' | '),
  ]);
  const header = ['SESSION', 'USER', 'APP', 'AGENT', 'STATUS', 'AGE', 'WAITS FOR'];
  return renderTable(header, rows, { style, width });
}
