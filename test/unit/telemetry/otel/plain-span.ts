import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

/** A span as data, from whichever exporter it came. Times are milliseconds since 1970. */
export type PlainSpan = {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0: unset. 2: error. */
  readonly status: number;
};

export function plainSpan(span: ReadableSpan): PlainSpan {
  const { name, kind, parentSpanContext, attributes, status, startTime, endTime } = span;
  const { traceId, spanId } = span.spanContext();
  return {
    name,
    kind,
    traceId,
    spanId,
    parentId: parentSpanContext?.spanId,
    startedAt: milliseconds(startTime),
    endedAt: milliseconds(endTime),
    attributes,
    status: status.code,
  };
}

export function named(spans: readonly PlainSpan[], name: string): PlainSpan[] {
  return spans.filter((span) => span.name.startsWith(name));
}

export function sum(spans: readonly PlainSpan[], attribute: string): number {
  return spans.reduce((total, { attributes }) => total + Number(attributes[attribute] ?? 0), 0);
}

/** Spans of one trace, each below another, except one. No two have one id. */
export function expectTree(spans: readonly PlainSpan[]): void {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  expect(ids.size).toBe(spans.length);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans.filter(({ parentId }) => parentId === undefined)).toHaveLength(1);
  const orphans = spans.filter(({ parentId }) => parentId !== undefined && !ids.has(parentId));
  expect(orphans.map(({ name }) => name)).toEqual([]);
}

function milliseconds([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1_000 + Math.floor(nanoseconds / 1_000_000);
}
