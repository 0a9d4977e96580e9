import type { RunSummary } from '../../client';
import { paintStatus } from './paint-status';
import { renderTable, type TableOptions } from './table';

export type RenderListOptions = TableOptions & { readonly now: Date };

/** A line per run: id, agent, status, age, and what it waits for as far as there is room. */
export function renderList(
  runs: readonly RunSummary[],
  { style, width, now }: RenderListOptions,
): readonly string[] {
  const rows = runs.map((run) => [
    run.runId,
    run.agent,
    { text: run.status, paint: () => paintStatus(run.status, style) },
    age(new Date(run.startTime), now),
    run.pending.map(({ question }) => question).join(' | '),
  ]);
  return renderTable(['RUN', 'AGENT', 'STATUS', 'AGE', 'WAITS FOR'], rows, { style, width });
}

/** `3 d`, in the largest unit that fits. */
export function age(from: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - from.getTime()) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
