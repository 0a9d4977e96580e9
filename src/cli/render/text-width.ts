/** East Asian wide characters and emoji take two columns, marks and joiners none. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\u{fe0f}/u;
const invisible = /^[\p{Mark}\u200b-\u200d\u2060\ufeff]+$/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

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
