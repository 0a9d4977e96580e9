// Pure: no server. What spans say of content, with the real SDK.

import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  openTelemetry,
  type ContentPart,
  type OpenTelemetryOptions,
} from '../../../../src/telemetry/otel';
import { aCall, aResponse, aSegment, aTool, secret } from './builders';

/** All that leaves after one call of each kind, as text, and the attributes of the spans. */
async function tellOfAll(content: NonNullable<OpenTelemetryOptions['content']>) {
  const spans = new InMemorySpanExporter();
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics });
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(spans)],
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const telemetry = openTelemetry({ content, tracerProvider, meterProvider });
  const error = new Error(secret, { cause: new Error(secret) });
  const watch = telemetry.begin(aCall());
  watch.firstToken();
  watch.end({ response: aResponse, costUsd: 0.5 });
  telemetry.begin(aCall()).end({ error });
  telemetry
    .begin(aTool())
    .end({ output: { isError: false, content: [{ type: 'text', text: secret }] } });
  telemetry.begin(aTool()).end({ error });
  telemetry.lost(aCall(), {
    response: aResponse,
    endedAt: Date.now(),
    reason: 'heartbeat timeout',
  });
  telemetry.segment(aSegment({ pausedMs: 5_000 }));
  telemetry.segment(aSegment({ kind: 'graph', status: 'failed', error: 'ToolError' }));
  telemetry.logRead('run');
  await meterProvider.forceFlush();
  const ended = spans.getFinishedSpans();
  const told = ended.map(({ name, attributes, events, status }) => ({
    name,
    attributes,
    events,
    status,
  }));
  const measured = metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
  await meterProvider.shutdown();
  return { told, text: JSON.stringify([told, measured]), measured };
}

describe('content', () => {
  it('is in no span and no metric when it is off', async () => {
    const { text, told } = await tellOfAll('off');
    expect(told).toHaveLength(7);
    expect(text).not.toContain(secret);
  });

  it('is recorded by the conventions when it is on', async () => {
    const { told } = await tellOfAll('full');
    const [chat, , tool] = told.map(({ attributes }) => attributes);
    const read = (name: string): unknown => JSON.parse(String(chat?.[name]));
    expect(read('gen_ai.system_instructions')).toEqual([
      { type: 'text', content: `Instructions: ${secret}` },
    ]);
    expect(read('gen_ai.input.messages')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: `Question: ${secret}` }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'call-0', name: 'look_up', arguments: { query: secret } }],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: 'call-0', response: { found: secret } }],
      },
    ]);
    expect(read('gen_ai.output.messages')).toMatchObject([{ finish_reason: 'tool_call' }]);
    expect(tool).toMatchObject({
      'gen_ai.tool.call.arguments': JSON.stringify({ query: secret }),
      'gen_ai.tool.call.result': secret,
    });
    expect(told[1]).toMatchObject({ status: { message: secret }, events: [{ name: 'exception' }] });
  });

  it.each<[string, (part: ContentPart) => unknown]>([
    ['leaves out the secret', ({ text }) => text.replaceAll(secret, '…')],
    ['records nothing', () => undefined],
    [
      'throws',
      () => {
        throw new Error(secret);
      },
    ],
    ['is asynchronous', ({ text }) => Promise.resolve(text)],
    ['rejects', () => Promise.reject(new Error(secret))],
    ['never ends', () => new Promise(() => undefined)],
  ])('is as the redaction returns it: one that %s', async (_name, redact) => {
    const { text, told } = await tellOfAll(redact as (part: ContentPart) => string);
    expect(told).toHaveLength(7);
    expect(text).not.toContain(secret);
  });

  it('has a bounded size, and keeps the last messages', () => {
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const call = aCall();
    if (call.call.kind !== 'model' || call.call.request === undefined)
      throw new Error('no model call');
    const messages = Array.from({ length: 100 }, (_, index) => ({
      role: 'user' as const,
      parts: [{ type: 'text' as const, text: `${index} ${'x'.repeat(50_000)}` }],
    }));
    const long = { ...call.call, request: { ...call.call.request, messages } };
    openTelemetry({ content: 'full', tracerProvider })
      .begin({ ...call, call: long })
      .end({});
    const text = String(exporter.getFinishedSpans()[0]?.attributes['gen_ai.input.messages']);
    expect(text.length).toBeLessThan(128 * 1024);
    expect(text).toContain('"99 xxx');
    expect(text).not.toContain('"0 xxx');
  });
});

describe('metrics', () => {
  it('count calls, tokens, cost, runs and pauses, by names that are few', async () => {
    const { measured } = await tellOfAll('off');
    const metrics = measured.flatMap((scope) => scope.metrics);
    expect(metrics.map(({ descriptor }) => descriptor.name).sort()).toEqual([
      'gen_ai.client.operation.duration',
      'gen_ai.client.operation.time_to_first_chunk',
      'gen_ai.client.token.usage',
      'gen_ai.execute_tool.duration',
      'gen_ai.workflow.duration',
      'longhaul.cost',
      'longhaul.log.reads',
      'longhaul.model.failed_attempts',
      'longhaul.pause.duration',
      'longhaul.runs',
    ]);
    const values = metrics.flatMap(({ dataPoints }) =>
      dataPoints.flatMap(({ attributes }) => Object.values(attributes)),
    );
    expect([...new Set(values)].sort()).toEqual([
      'Error',
      'ToolError',
      'WorkerLost',
      'asker',
      'chat',
      'completed',
      'execute_tool',
      'failed',
      'function',
      'gcp.gemini',
      'input',
      'look_up',
      'm-1',
      'output',
      'run',
    ]);
  });
});
