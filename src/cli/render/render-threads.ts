import type { ThreadSummary } from '../../client';
import { paintStatus } from './paint-status';
import { age, type RenderListOptions } from './render-list';
import { renderTable } from './table';

/** A line per thread: whose it is, its agent, status and age, and what it waits for as far as there is room. */
export function renderThreads(
  threads: readonly ThreadSummary[],
  { style, width, now }: RenderListOptions,
): readonly string[] {
  const rows = threads.map(({ threadId, key, agent, status, startTime, pending }) => [
    key?.sessionId ?? threadId,
    key?.userId ?? '',
    key?.appName ?? '',
    agent,
    { text: status, paint: () => paintStatus(status, style) },
    age(new Date(startTime), now),
    pending.map(({ question }) => question).join(' | '),
  ]);
  const header = ['SESSION', 'USER', 'APP', 'AGENT', 'STATUS', 'AGE', 'WAITS FOR'];
  return renderTable(header, rows, { style, width });
}
