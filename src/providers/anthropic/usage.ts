import type { Usage } from '../../protocol/message';

/** The usage fields that are read; compatible servers leave some out. */
export type MessagesUsage = {
  readonly input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null;
};

/** `input_tokens` leaves out what was read from and written to the cache; the neutral input includes both. */
export function fromMessagesUsage(usage: MessagesUsage): Usage {
  const cacheRead = usage.cache_read_input_tokens ?? null;
  const cacheWrite = usage.cache_creation_input_tokens ?? null;
  const input = sum(usage.input_tokens ?? null, cacheRead, cacheWrite);
  const output = usage.output_tokens ?? null;
  return {
    input,
    output,
    total: sum(input, output),
    cacheRead,
    cacheWrite,
    reasoning: usage.output_tokens_details?.thinking_tokens ?? null,
  };
}

/** Later counts are cumulative and replace earlier ones; counts an event leaves out stay. */
export function laterUsage(earlier: MessagesUsage, later: MessagesUsage): MessagesUsage {
  const said = Object.entries(later).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...(Object.fromEntries(said) as MessagesUsage) };
}

function sum(...counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}
