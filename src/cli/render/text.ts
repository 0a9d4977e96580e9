import type { RunStatus } from '../../client';

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\u{fe0f}/u;

const invisible = /^[\p{Mark}\u200b-\u200d\u2060\ufeff]+$/u;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const gap = 2;

const narrowestLast = 10;

const looks = {
  loading: 'cyan',
  running: 'cyan',
  idle: 'dim',
  'needs-input': 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
  queued: 'dim',
} as const satisfies Record<RunStatus | 'idle' | 'queued', keyof Style>;

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]?/g;

/** Other control characters, and characters that change the reading order. */
const controls =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const ownStyles = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;

/** Makes text of a model, tool or user safe for a terminal: it can neither control the terminal nor hide parts. */
export function printable(text: string): string {
  return text
    .replace(loneSurrogates, '\ufffd')
    .replace(sequences, '')
    .replace(/\r\n?/g, '\n')
    .replace(controls, '');
}

/** Like `printable`, on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** Keeps text and the styles of `createStyle`; removes all other escapes. */
export function terminalText(text: string): string {
  return text
    .split(ownStyles)
    .map((piece, index) => (index % 2 === 0 ? printable(piece) : piece))
    .join('');
}

/** One line of JSON that parses back to the value and is safe for a terminal. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    unsafeInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export type Style = Readonly<Record<keyof typeof codes, (text: string) => string>>;

/** Colours and weights, or no styling at all. */
export function createStyle(enabled: boolean): Style {
  const paint =
    ([on, off]: readonly [number, number]) =>
    (text: string): string =>
      enabled && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: paint(codes.bold),
    dim: paint(codes.dim),
    red: paint(codes.red),
    green: paint(codes.green),
    yellow: paint(codes.yellow),
    cyan: paint(codes.cyan),
  };
}

export function paintStatus(status: keyof typeof looks, style: Style): string {
  return style[looks[status]](status);
}

export type TableOptions = { readonly style: Style; readonly width: number };

/** Text that fits a terminal, and how to paint it after the layout. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/**
 * A table with one line per row, under a dim header. Columns are as wide as they need; the last one is cut to the rest of the width. Empty
 * if there are no rows.
 */
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

export function textOf(cell: Cell | undefined): string {
  const text = typeof cell === 'object' ? cell.text : (cell ?? '');
  return printable(text).replace(/\s/g, ' ');
}

export function paint(cell: Cell | undefined, text: string): string {
  return typeof cell === 'object' ? cell.paint(text) : text;
}

/** The number of terminal columns that a line takes. */
export function textWidth(line: string): number {
  if (/^[ -~]*$/.test(line)) return line.length;
  let width = 0;
  for (const { segment } of segmenter.segment(line)) width += graphemeWidth(segment);
  return width;
}

/** The line, cut with an ellipsis if it does not fit. */
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

/** Wraps a text at this many columns. A longer word is not broken, because it may be an id to copy. */
export function wrapToWidth(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].filter((each) => each !== '');
}

export function padToWidth(line: string, columns: number): string {
  return line + ' '.repeat(Math.max(0, columns - textWidth(line)));
}

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  return wide.test(grapheme) ? 2 : 1;
}
