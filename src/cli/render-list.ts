import type { RunSummary } from '../client';
import { printableLine } from './printable';
import { paintStatus } from './render-run';
import type { Style } from './style';
import { clipToWidth, padToWidth, textWidth } from './text-width';

export type RenderListOptions = {
  readonly style: Style;
  readonly width: number;
  readonly now: Date;
};

const gap = 2;
const narrowestNote = 10;

/** A line per run: id, agent, status, age, and what it waits for as far as there is room. */
export function renderList(
  runs: readonly RunSummary[],
  { style, width, now }: RenderListOptions,
): readonly string[] {
  if (runs.length === 0) return [];
  const header = ['RUN', 'AGENT', 'STATUS', 'AGE', 'WAITS FOR'];
  const rows = runs.map((run) => [
    run.runId,
    printableLine(run.agent),
    run.status,
    age(new Date(run.startTime), now),
    run.pending.map(({ question }) => printableLine(question)).join(' | '),
  ]);
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...[header, ...rows].map((row) => textWidth(row[column] ?? ''))),
  );
  const fixed = widths.reduce((sum, columns) => sum + columns + gap, 0);
  const noteWidth = Math.max(narrowestNote, width - fixed);
  const layOut = (row: readonly string[]): string[] => [
    ...widths.map((columns, column) => padToWidth(row[column] ?? '', columns + gap)),
    clipToWidth(row[4] ?? '', noteWidth),
  ];
  const lines = rows.map((row, index) => {
    const cells = layOut(row);
    const status = runs[index]?.status;
    if (status !== undefined)
      cells[2] = cells[2]?.replace(status, paintStatus(status, style)) ?? '';
    return cells.join('').trimEnd();
  });
  return [style.dim(layOut(header).join('').trimEnd()), ...lines];
}

/** `3 d`, in the largest unit that fits. */
export function age(from: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - from.getTime()) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
