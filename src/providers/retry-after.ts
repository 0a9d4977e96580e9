const shortestMs = 250;
const longestMs = 10 * 60_000;

/** What both a fetch `Headers` and a plain record of lower-case names can answer. */
export type HeaderSource =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | null | undefined>>;

export function headerOf(headers: HeaderSource | undefined, name: string): string | undefined {
  if (headers === undefined) return undefined;
  const get = headers.get;
  const value = typeof get === 'function' ? get.call(headers, name) : recordValue(headers, name);
  return value ?? undefined;
}

/** How long the provider asks us to wait, between 250 ms and 10 minutes; undefined when it does not say. */
export function retryAfterMs(
  headers: HeaderSource | undefined,
  now: number = Date.now(),
): number | undefined {
  return boundedDelay(
    milliseconds(headerOf(headers, 'retry-after-ms')) ??
      secondsOrDate(headerOf(headers, 'retry-after'), now) ??
      exhaustedReset(headers),
  );
}

export function boundedDelay(delayMs: number | undefined): number | undefined {
  if (delayMs === undefined || Number.isNaN(delayMs)) return undefined;
  return Math.min(Math.max(Math.ceil(delayMs), shortestMs), longestMs);
}

/** Durations as Go prints them (`6m0s`, `1.5s`, `20ms`), which is how OpenAI and Google write them. */
export function durationMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/.test(text)) return undefined;
  const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)) {
    total += Number(amount) * units[unit as keyof typeof units];
  }
  return total;
}

function recordValue(headers: object, name: string): string | undefined {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}

function milliseconds(value: string | undefined): number | undefined {
  const amount = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
  return Number.isFinite(amount) ? amount : undefined;
}

function secondsOrDate(value: string | undefined, now: number): number | undefined {
  const seconds = milliseconds(value);
  if (seconds !== undefined) return seconds * 1000;
  const date = value === undefined ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : date - now;
}

/** The longest reset of the limits that are used up, where a provider sends only its rate-limit headers. */
function exhaustedReset(headers: HeaderSource | undefined): number | undefined {
  const resets = ['requests', 'tokens'].flatMap((limit) => {
    const remaining = milliseconds(headerOf(headers, `x-ratelimit-remaining-${limit}`));
    const reset = durationMs(headerOf(headers, `x-ratelimit-reset-${limit}`));
    return reset === undefined || (remaining !== undefined && remaining > 0) ? [] : [reset];
  });
  return resets.length === 0 ? undefined : Math.max(...resets);
}
