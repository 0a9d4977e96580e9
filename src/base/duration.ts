import { describeValue } from './problem';

/** A text such as `'90s'`, `'3 days'` or `'1.5h'`, or a number of milliseconds. */
export type Duration = string | number;

export type ParsedDuration =
  { readonly ok: true; readonly ms: number } | { readonly ok: false; readonly message: string };

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const units: ReadonlyMap<string, number> = new Map([
  ...named(1, 'ms', 'msec', 'msecs', 'millisecond', 'milliseconds'),
  ...named(second, 's', 'sec', 'secs', 'second', 'seconds'),
  ...named(minute, 'm', 'min', 'mins', 'minute', 'minutes'),
  ...named(hour, 'h', 'hr', 'hrs', 'hour', 'hours'),
  ...named(day, 'd', 'day', 'days'),
  ...named(7 * day, 'w', 'week', 'weeks'),
  ...named(365.25 * day, 'y', 'yr', 'yrs', 'year', 'years'),
]);

const longest = 100 * 365.25 * day;

function named(ms: number, ...names: string[]): (readonly [string, number])[] {
  return names.map((name) => [name, ms]);
}

/** The whole milliseconds of a duration, at least 1. `message` completes "timeout …". */
export function parseDuration(value: unknown): ParsedDuration {
  if (typeof value !== 'string' && typeof value !== 'number') return refused(value);
  const ms = typeof value === 'number' ? value : textToMs(value);
  if (ms === undefined || Number.isNaN(ms)) return refused(value);
  if (ms <= 0) return { ok: false, message: `must be more than 0, not ${describeValue(value)}` };
  if (ms > longest) {
    return { ok: false, message: `must be at most 100 years, not ${describeValue(value)}` };
  }
  return { ok: true, ms: Math.max(1, Math.round(ms)) };
}

function textToMs(text: string): number | undefined {
  const match = /^(-?\d{1,15}(?:\.\d{1,9})?) ?([a-z]+)$/i.exec(text.trim());
  const unit = units.get(match?.[2]?.toLowerCase() ?? '');
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}

function refused(value: unknown): ParsedDuration {
  const message = `must be a duration such as '90s', '15 minutes' or '3 days', or a number of milliseconds, not ${describeValue(value)}`;
  return { ok: false, message };
}

/** A timestamp or duration of protobuf. */
export type ProtoTime = { readonly seconds?: unknown; readonly nanos?: number | null };

/** Milliseconds. */
export function protoMs(time: ProtoTime | null | undefined): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1_000_000;
}

/** `3 d`: an age in the largest unit that fits. */
export function age(from: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - from.getTime()) / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
