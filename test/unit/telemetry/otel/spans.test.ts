// Pure: no server. The real SDK of OpenTelemetry, with exporters in memory.

import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import fc from 'fast-check';
import { ProviderError } from '../../../../src';
import { openTelemetry, type OpenTelemetryOptions } from '../../../../src/telemetry/otel';
import { aCall, aResponse, aSegment, aTool, secret } from './builders';

const traceId = 'a'.repeat(32);

function recording(options: OpenTelemetryOptions = {}) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const spans = (): ReadableSpan[] => exporter.getFinishedSpans();
  return { telemetry: openTelemetry({ tracerProvider, ...options }), tracerProvider, spans };
}

function captured(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const idsOf = (span: ReadableSpan | undefined) => ({
  traceId: span?.spanContext().traceId,
  spanId: span?.spanContext().spanId,
  parent: span?.parentSpanContext?.spanId,
});

describe('openTelemetry', () => {
  beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
  afterAll(() => context.disable());

  it('gives spans the ids that the run derived', () => {
    const { telemetry, spans } = recording();
    telemetry.segment(aSegment({ above: `00-${traceId}-${'0'.repeat(16)}-01` }));
    telemetry.begin(aCall()).end({ response: aResponse });
    expect(spans().map(idsOf)).toEqual([
      { traceId, spanId: 'b'.repeat(16), parent: undefined },
      { traceId, spanId: 'c'.repeat(16), parent: 'b'.repeat(16) },
    ]);
  });

  it('makes the same ids in any two processes', () => {
    const hex = (length: number) =>
      fc
        .string({
          unit: fc.constantFrom(...'0123456789abcdef'),
          minLength: length,
          maxLength: length,
        })
        .filter((text) => /[1-9a-f]/.test(text));
    fc.assert(
      fc.property(hex(32), hex(16), hex(16), (id, parent, span) => {
        const ids = [recording(), recording()].map(({ telemetry, spans }) => {
          telemetry.begin(aCall({ span, above: `00-${id}-${parent}-01` })).end({});
          return idsOf(spans()[0]);
        });
        expect(ids).toEqual(ids.map(() => ({ traceId: id, spanId: span, parent })));
      }),
    );
  });

  it('says what a model call was, by the conventions', () => {
    const { telemetry, spans } = recording();
    telemetry.begin(aCall()).end({ response: aResponse, costUsd: 0.25 });
    const [span] = spans();
    expect(span).toMatchObject({ name: 'chat m-1', kind: 2, status: { code: 0 } });
    expect(span?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'm-1',
      'gen_ai.response.id': 'response-1',
      'gen_ai.response.finish_reasons': ['tool_call'],
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.conversation.id': 'root-1',
      'gen_ai.agent.version': 'hash-1',
      'longhaul.attempt': 2,
      'longhaul.cost_usd': 0.25,
      'longhaul.worker_wait_ms': 7,
    });
  });

  it('has the length of a segment from before this process began', () => {
    const { telemetry, spans } = recording();
    telemetry.segment(aSegment({ startedAt: 1_000, endedAt: 4_000, pausedMs: 500 }));
    const [span] = spans();
    expect(span).toMatchObject({ startTime: [1, 0], endTime: [4, 0], name: 'invoke_agent asker' });
    expect(span?.attributes['longhaul.paused_ms']).toBe(500);
  });

  it.each([
    ['a provider error', new ProviderError('rate_limited', secret), 'ProviderError.rate_limited'],
    ['an error of a class', new RangeError(secret), 'RangeError'],
    ['what is no error', secret, '_OTHER'],
  ])('names %s by its type only', (_name, error, type) => {
    const { telemetry, spans } = recording();
    telemetry.begin(aCall()).end({ error });
    expect(spans()[0]).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': type },
      events: [],
    });
    expect(JSON.stringify(spans()[0]?.attributes)).not.toContain(secret);
  });

  it('records a lost attempt as it ended for the server', () => {
    const { telemetry, spans } = recording();
    telemetry.lost(aCall({ startedAt: 5_000 }), { endedAt: 9_000, reason: 'heartbeat timeout' });
    expect(spans()[0]).toMatchObject({
      endTime: [9, 0],
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'WorkerLost', 'longhaul.lost': 'heartbeat timeout' },
    });
  });

  it('runs code inside the span, once, also if it throws', () => {
    const { telemetry, spans, tracerProvider } = recording();
    const watch = telemetry.begin(aTool());
    watch.run(() => tracerProvider.getTracer('user').startSpan('own').end());
    expect(() =>
      watch.run(() => {
        throw new Error('mine');
      }),
    ).toThrow('mine');
    watch.end({});
    watch.end({});
    expect(spans().map(({ name }) => name)).toEqual(['own', 'execute_tool look_up']);
    expect(idsOf(spans()[0]).parent).toBe('c'.repeat(16));
  });

  it('carries the span of the code that runs now', () => {
    const { telemetry, tracerProvider } = recording();
    expect(telemetry.carrier()).toBeUndefined();
    const span = tracerProvider.getTracer('user').startSpan('request');
    const { traceId, spanId } = span.spanContext();
    const carrier = context.with(trace.setSpan(context.active(), span), () => telemetry.carrier());
    expect(carrier).toEqual({ traceparent: `00-${traceId}-${spanId}-01` });
  });

  it('leaves out what the caller does not sample', () => {
    const { telemetry, spans } = recording();
    telemetry.begin(aCall({ above: `00-${traceId}-${'b'.repeat(16)}-00` })).end({});
    expect(spans()).toEqual([]);
  });

  it('waits for no exporter that hangs', () => {
    const hanging = {
      export: () => undefined,
      forceFlush: () => new Promise<void>(() => undefined),
      shutdown: () => Promise.resolve(),
    };
    const processors = [new SimpleSpanProcessor(hanging), new BatchSpanProcessor(hanging)];
    const tracerProvider = new BasicTracerProvider({ spanProcessors: processors });
    const telemetry = openTelemetry({ tracerProvider });
    const results = Array.from({ length: 5_000 }, (_, index) => {
      const watch = telemetry.begin(aCall());
      const result = watch.run(() => index);
      watch.end({ response: aResponse });
      return result;
    });
    expect(results).toHaveLength(5_000);
  });

  it('never throws, whatever the provider does', () => {
    const broken = (): never => {
      throw new Error('broken');
    };
    const telemetry = openTelemetry({
      tracerProvider: { getTracer: broken },
      meterProvider: { getMeter: broken },
    });
    const watch = telemetry.begin(aCall());
    expect(watch.run(() => 'done')).toBe('done');
    watch.firstToken();
    watch.end({ response: aResponse });
    telemetry.lost(aCall(), { endedAt: 1, reason: 'x' });
    telemetry.segment(aSegment());
    telemetry.logRead('cache');
  });

  it.each([
    [{ content: 'some' }, 'content'],
    [{ tracerProvider: {} }, 'tracerProvider'],
    [{ contents: 'off' }, 'contents'],
  ])('refuses %j', (options, name) => {
    const wrong = options as unknown as OpenTelemetryOptions;
    const message = expect.stringContaining(name) as string;
    expect(captured(() => openTelemetry(wrong))).toMatchObject({ code: 'SpecError', message });
  });
});
