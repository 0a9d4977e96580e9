// Pages of a log: how far one goes, and how it travels deflated. Pure; who calls has the means to deflate.

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
 * As much as fits into one payload. Raw, so much fits whether it deflates or not: a page that cannot travel would be asked for for ever.
 * Only what deflates well is worth a second, larger try.
 */
export function pageThatTravels({ page, deflate }: Paged): Uint8Array {
  const small = deflate(page(limits.payload));
  if (small.length > limits.payload / 2) return small;
  const large = deflate(page(limits.deflatedText));
  return large.length <= limits.payload ? large : small;
}
