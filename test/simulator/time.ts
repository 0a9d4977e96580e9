// Times as Temporal's API has them.

import Long from 'long';

type ApiTime = { readonly seconds?: unknown; readonly nanos?: number | null };

export function timeOf(ms: number): { readonly seconds: Long; readonly nanos: number } {
  const seconds = Math.floor(ms / 1_000);
  return { seconds: Long.fromNumber(seconds), nanos: Math.round((ms - seconds * 1_000) * 1e6) };
}

/** Nothing is 0. */
export function msOf(time: ApiTime | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}

/** Undefined for no limit: zero means that, too. */
export function limitOf(duration: ApiTime | null | undefined): number | undefined {
  return msOf(duration) || undefined;
}
