// Reports what runs do through OpenTelemetry. Nothing here throws into a run, and nothing waits for an exporter.

import type { MeterProvider, Tracer, TracerProvider } from '@opentelemetry/api';
import { z } from 'zod';
import { parseOptions } from '../../define';
import { made } from '../../define/schema';
import { traceparent } from '../../protocol';
import { type CallStart, type CallWatch, type LostCall, type Telemetry, unwatched } from '../index';
import { guarded, otelApi } from './api';
import {
  nameOfCall,
  nameOfSegment,
  type Segment,
  segmentAttributes,
  startOfCall,
} from './attributes';
import { ContentWriter, type Redact } from './content';
import { errorType, longhaul } from './conventions';
import { startDerivedSpan } from './derived-span';
import { Instruments } from './instruments';
import { type AnyMeterProvider, type AnyTracerProvider, providerWith } from './provider-option';
import { recordEnd, type Recorder, WatchedCall } from './watched-call';

export type OpenTelemetryOptions = {
  /**
   * Whether prompts, answers, arguments, results and messages of errors are recorded: not at all (`off`, the default), as they are
   * (`full`), or as a function returns them.
   */
  readonly content?: 'off' | 'full' | Redact;
  /** A `TracerProvider` of OpenTelemetry. Default: the global one. */
  readonly tracerProvider?: AnyTracerProvider;
  /** A `MeterProvider` of OpenTelemetry. Default: the global one. */
  readonly meterProvider?: AnyMeterProvider;
};

const options = z.strictObject({
  content: made<'off' | 'full' | Redact>(
    (value) => value === 'off' || value === 'full' || typeof value === 'function',
    "'off', 'full' or a function (part) => string | undefined",
  ).exactOptional(),
  tracerProvider: providerWith<TracerProvider>('getTracer').exactOptional(),
  meterProvider: providerWith<MeterProvider>('getMeter').exactOptional(),
});

/**
 * Telemetry for `createWorker` and `connect`. It uses the SDK that your program has set up, and needs the package `@opentelemetry/api`.
 * Throws `SpecError` for wrong options, and `PackageMissing`.
 *
 * @example
 * const telemetry = openTelemetry();
 * const worker = await createWorker({ runners: [agent], telemetry });
 */
export function openTelemetry(given: OpenTelemetryOptions = {}): Telemetry {
  const subject = 'The options of openTelemetry';
  const code = ['content', 'tracerProvider', 'meterProvider'];
  const parsed = parseOptions(options, given, { subject, code });
  const { content = 'off', tracerProvider, meterProvider } = parsed;
  const { trace, metrics } = otelApi();
  const redact = content === 'full' ? ({ text }: { readonly text: string }) => text : content;
  return new OpenTelemetry({
    tracer: () => (tracerProvider ?? trace.getTracerProvider()).getTracer('longhaul'),
    instruments: () =>
      new Instruments((meterProvider ?? metrics.getMeterProvider()).getMeter('longhaul')),
    content: redact === 'off' ? undefined : new ContentWriter(redact),
  });
}

type Parts = {
  /** Called at first use: a program may set up its SDK after it made the telemetry. */
  readonly tracer: () => Tracer;
  readonly instruments: () => Instruments;
  readonly content: ContentWriter | undefined;
};

class OpenTelemetry implements Telemetry {
  readonly #parts: Parts;
  #tracer: Tracer | undefined;
  #recorder: Recorder | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  carrier(): Readonly<Record<string, string>> | undefined {
    return guarded(() => {
      const { isSpanContextValid, trace } = otelApi();
      const context = trace.getActiveSpan()?.spanContext();
      if (context === undefined || !isSpanContextValid(context)) return undefined;
      const { traceId, spanId, traceFlags, traceState } = context;
      const flags = (traceFlags & 0xff).toString(16).padStart(2, '0');
      const tracestate = traceState?.serialize();
      return {
        traceparent: traceparent({ traceId, spanId, flags }),
        ...(tracestate && { tracestate }),
      };
    });
  }

  begin(call: CallStart): CallWatch {
    const watch = guarded(() => new WatchedCall(this.#recording, call, this.#startCall(call)));
    return watch ?? unwatched;
  }

  lost(call: CallStart, end: LostCall): void {
    guarded(() => {
      const span = this.#startCall(call);
      recordEnd(span, call, { end, recorder: this.#recording });
      const { SpanStatusCode } = otelApi();
      span.setAttributes({ [longhaul.lost]: end.reason, [errorType]: lostType });
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(Math.max(call.startedAt, end.endedAt)));
    });
    guarded(() => {
      const durationMs = Math.max(0, end.endedAt - call.startedAt);
      const { instruments } = this.#recording;
      instruments.callEnded(call, { ...end, durationMs, errorType: lostType });
    });
  }

  segment(segment: Segment): void {
    guarded(() => {
      const { SpanKind, SpanStatusCode } = otelApi();
      const span = startDerivedSpan(this.#tracing, {
        ...segment,
        name: nameOfSegment(segment),
        kind: SpanKind.INTERNAL,
        attributes: segmentAttributes(segment),
      });
      if (segment.status === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(segment.endedAt));
    });
    guarded(() => this.#recording.instruments.segmentEnded(segment));
  }

  logRead(from: 'cache' | 'run'): void {
    guarded(() => this.#recording.instruments.logRead(from));
  }

  #startCall(call: CallStart): ReturnType<typeof startDerivedSpan> {
    const { SpanKind } = otelApi();
    return startDerivedSpan(this.#tracing, {
      span: call.span,
      above: call.above,
      startedAt: call.startedAt,
      name: nameOfCall(call),
      kind: call.call.kind === 'model' ? SpanKind.CLIENT : SpanKind.INTERNAL,
      attributes: startOfCall(call),
    });
  }

  get #tracing(): Tracer {
    this.#tracer ??= this.#parts.tracer();
    return this.#tracer;
  }

  get #recording(): Recorder {
    const { content, instruments } = this.#parts;
    this.#recorder ??= { content, instruments: instruments() };
    return this.#recorder;
  }
}

/** The worker died, or lost its connection. */
const lostType = 'WorkerLost';
