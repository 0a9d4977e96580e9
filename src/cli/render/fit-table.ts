import {
  type Cell,
  createStyle,
  paint,
  renderTable,
  type Style,
  textOf,
  textWidth,
  wrapToWidth,
} from './text';

export type FitOptions = {
  readonly style: Style;
  /** The width of the terminal. Undefined elsewhere: each row is then one line. */
  readonly columns?: number | undefined;
};

type Row = readonly Cell[];

const indent = '  ';

/**
 * A table that fits a terminal and cuts nothing, because a person who approves a call must see what it does. If rows are too long, the last
 * cell is below its row. If that is not enough, other cells are below, too.
 */
export function renderFitting(
  header: readonly string[],
  rows: readonly Row[],
  { style, columns = Infinity }: FitOptions,
): readonly string[] {
  const whole = { style, width: Infinity };
  if (fits(header, rows, columns)) return renderTable(header, rows, whole);
  const heads = rows.map((row) => row.slice(0, -1));
  const names = header.slice(0, -1);
  const [first = '', ...lines] = renderTable(names, heads, whole);
  const isTable = fits(names, heads, columns);
  return [
    ...(isTable ? [first] : flow(names, columns).map(style.dim)),
    ...rows.flatMap((row, index) => [
      ...(isTable ? [lines[index] ?? ''] : flow(row.slice(0, -1), columns)),
      ...wrapToWidth(textOf(row.at(-1)), columns - indent.length).map(
        (line) => `${indent}${paint(row.at(-1), line)}`,
      ),
    ]),
  ];
}

function fits(header: readonly string[], rows: readonly Row[], columns: number): boolean {
  const texts = rows.map((row) => row.map(textOf));
  const lines = renderTable(header, texts, { style: createStyle(false), width: Infinity });
  return lines.every((line) => textWidth(line) <= columns);
}

/** Cells one after the other, on as many lines as they need. */
function flow(row: Row, columns: number): readonly string[] {
  const lines: string[] = [];
  let width = Infinity;
  for (const cell of row) {
    const text = textOf(cell);
    const added = indent.length + textWidth(text);
    const isNew = width + added > columns;
    const lead = isNew && lines.length === 0 ? '' : indent;
    const line = `${isNew ? '' : (lines.pop() ?? '')}${lead}${paint(cell, text)}`;
    width = isNew ? lead.length + textWidth(text) : width + added;
    lines.push(line);
  }
  return lines;
}
