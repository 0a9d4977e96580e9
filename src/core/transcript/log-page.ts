// Pages of a log: where a page ends, and how it travels deflated. Pure: the caller deflates.

import { limits } from '../../protocol/limits';
import type { LogPage } from '../../protocol/log';

type Paged = {
  /** The page within so many bytes of JSON. */
  readonly page: (maxBytes: number) => LogPage;
  readonly deflate: (page: LogPage) => Uint8Array;
};

/** Where the page from `from` on ends: before the first entry that does not fit. One larger entry goes alone. */
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
 * As much as fits into one payload. The first try is small enough to fit even if it does not deflate: a page that cannot travel would be
 * requested for ever. If it deflates well, a larger page is tried.
 */
export function pageThatTravels({ page, deflate }: Paged): Uint8Array {
  const small = deflate(page(limits.payload));
  if (small.length > limits.payload / 2) return small;
  const large = deflate(page(limits.deflatedText));
  return large.length <= limits.payload ? large : small;
}
