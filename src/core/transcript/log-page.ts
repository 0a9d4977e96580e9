// Pages of a log. It decides where a page ends, and which page travels deflated. Pure: the caller deflates.

import { limits } from '../../protocol/limits';
import type { LogPage } from '../../protocol/log';

type Paged = {
  /** The page of at most `maxBytes` of JSON. */
  readonly page: (maxBytes: number) => LogPage;
  readonly deflate: (page: LogPage) => Uint8Array;
};

/** The end of the page that starts at `from`. It is before the first entry that does not fit. An entry larger than a page goes alone. */
export function endOfPage(sizes: readonly number[], from: number, maxBytes: number): number {
  let bytes = 0;
  let end = from;
  while (end < sizes.length) {
    bytes += sizes[end] ?? 0;
    if (bytes > maxBytes && end > from) break;
    end += 1;
  }
  return end;
}

/**
 * Puts as much as fits into one payload. The first try fits even if it does not deflate: a page that cannot travel would be requested
 * again for ever. If the first try deflates well, this tries a larger page.
 */
export function pageThatTravels({ page, deflate }: Paged): Uint8Array {
  const small = deflate(page(limits.payload));
  if (small.length > limits.payload / 2) return small;
  const large = deflate(page(limits.deflatedText));
  return large.length <= limits.payload ? large : small;
}
