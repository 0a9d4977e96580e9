import { printable } from './printable';
import type { Style } from './style';
import { clipToWidth, textWidth } from './text-width';

export type TableOptions = { readonly style: Style; readonly width: number };

/** Text that fits a terminal, and how it is painted once it has its place. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

const gap = 2;
const narrowestLast = 10;

/** On one line each, whatever the cells hold: columns as wide as they need, the last one cut to what is left, under a dim header; nothing without rows. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  { style, width }: TableOptions,
): readonly string[] {
  if (rows.length === 0) return [];
  const last = header.length - 1;
  const widths = header
    .slice(0, last)
    .map((name, column) =>
      Math.max(textWidth(name), ...rows.map((row) => textWidth(textOf(row[column])))),
    );
  const left = width - widths.reduce((sum, columns) => sum + columns + gap, 0);
  const layOut = (row: readonly Cell[]): string => {
    const cells = widths.map((columns, column) => {
      const text = textOf(row[column]);
      return paint(row[column], text) + ' '.repeat(columns + gap - textWidth(text));
    });
    const text = clipToWidth(textOf(row[last]), Math.max(narrowestLast, left));
    return [...cells, paint(row[last], text)].join('').trimEnd();
  };
  return [style.dim(layOut(header)), ...rows.map(layOut)];
}

function textOf(cell: Cell | undefined): string {
  const text = typeof cell === 'object' ? cell.text : (cell ?? '');
  return printable(text).replace(/\s/g, ' ');
}

function paint(cell: Cell | undefined, text: string): string {
  return typeof cell === 'object' ? cell.paint(text) : text;
}
