import { printable } from './printable';
import type { Style } from './style';

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\u{fe0f}/u;

const invisible = /^[\p{Mark}\u200b-\u200d\u2060\ufeff]+$/u;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

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

/** Columns that a line takes in a terminal. */
export function textWidth(line: string): number {
  if (/^[ -~]*$/.test(line)) return line.length;
  let width = 0;
  for (const { segment } of segmenter.segment(line)) width += graphemeWidth(segment);
  return width;
}

/** The line, or as much of its beginning as fits, with an ellipsis. */
export function clipToWidth(line: string, columns: number): string {
  const head = line.slice(0, columns * 8);
  if (head === line && textWidth(line) <= columns) return line;
  let clipped = '';
  let width = 0;
  for (const { segment } of segmenter.segment(head)) {
    width += graphemeWidth(segment);
    if (width >= columns) break;
    clipped += segment;
  }
  return `${clipped.trimEnd()}…`;
}

export function padToWidth(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - textWidth(line)));
}

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}
