// Lists that fit into messages and details. Pure.

import { utf8Length } from '../../base';

const roomForCount = 24;

/** Joins as many items as fit in `maxBytes`, and adds how many more there are. */
export function fitList(items: readonly string[], separator: string, maxBytes: number): string {
  const fitting = fitItems(items, maxBytes - roomForCount, (item) => item + separator);
  const left = items.length - fitting.length;
  const shown = fitting.join(separator);
  if (left === 0) return shown;
  return shown === '' ? `${left} of them` : `${shown}${separator}and ${left} more`;
}

/** The first items that fit in `maxBytes` together, by their texts. */
export function fitItems<Item>(
  items: readonly Item[],
  maxBytes: number,
  toText: (item: Item) => string,
): readonly Item[] {
  let bytes = 0;
  const tooMuch = items.findIndex((item) => (bytes += utf8Length(toText(item))) > maxBytes);
  return tooMuch < 0 ? items : items.slice(0, tooMuch);
}
