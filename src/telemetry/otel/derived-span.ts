// Starts spans with given ids. A run that waits for days sends the ids of its spans to other processes before the spans exist, but the API
// of OpenTelemetry draws the id of each span. A generator of ids is no help: it does not know which span it makes an id for, and it belongs
// to the user's provider.
//
// 1. A span gets its parent, its trace and the sampler's decision by the API: the parent is a remote span of the right trace.
// 2. The id is then written into the object that `spanContext()` of the SDK's spans returns. Nothing has exported it yet.
// 3. A span without a parent starts below a remote span that does not exist, so that the sampler sees its trace; then the parent is
//    removed.
// 4. If a provider copies its ids, the span keeps the id that was drawn, and there is one warning about that.

import type { Attributes, Span, SpanContext, SpanKind, Tracer } from '@opentelemetry/api';
import { noSpan, readTraceparent, type TraceParent } from '../../protocol';
import { otelApi, warn } from './api';

export type SpanStart = {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  /** The id to have: 16 hex characters. */
  readonly span: string;
  /** W3C `traceparent` of the span above. Its span id is zeros if none is above. */
  readonly above: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
};

/** The span id that stands for a parent until it is removed. */
const placeholder = 'f'.repeat(16);

let hasWarned = false;

export function startDerivedSpan(tracer: Tracer, start: SpanStart): Span {
  const { context, ROOT_CONTEXT, trace } = otelApi();
  const { name, kind, attributes } = start;
  const above = readTraceparent(start.above);
  // The API takes small numbers for times since the start of the process.
  const options = { kind, attributes, startTime: new Date(start.startedAt) };
  if (above === undefined) return tracer.startSpan(name, options, ROOT_CONTEXT);
  const parent = trace.setSpanContext(context.active(), remote(above));
  const span = tracer.startSpan(name, options, parent);
  // A span that does not record may be one object for all.
  if (span.isRecording()) derive(span, start.span, above.spanId === noSpan);
  return span;
}

function remote({ traceId, spanId, flags }: TraceParent): SpanContext {
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return {
    traceId,
    spanId: spanId === noSpan ? placeholder : spanId,
    traceFlags,
    isRemote: true,
  };
}

function derive(span: Span, id: string, isTop: boolean): void {
  Reflect.set(span.spanContext(), 'spanId', id);
  if (isTop) removeParent(span);
  if (span.spanContext().spanId === id || hasWarned) return;
  hasWarned = true;
  warn('Longhaul could not set the ids of spans: this tracer provider draws them. Trees have gaps');
}

/** `parentSpanId` is the name in version 1 of the SDK. */
function removeParent(span: Span): void {
  for (const name of ['parentSpanContext', 'parentSpanId'])
    if (name in span) Reflect.set(span, name, undefined);
}
