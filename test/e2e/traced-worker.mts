// A worker with telemetry as a process of its own, run from a folder in which the built package is installed. It exports over OTLP/HTTP, and
// sends each span to its parent, too. Its log is the default one. Usage: traced-worker.mts '<JSON of TracedSettings>'
import { createRequire } from 'node:module';
import type * as otlpSdk from '@opentelemetry/exporter-trace-otlp-proto';
import type * as metricsSdk from '@opentelemetry/sdk-metrics';
import type * as traceSdk from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { defineAgent, defineTool, openTelemetry, parallel, subAgent } from 'longhaul';
import { createWorker } from 'longhaul/worker';
import type { PlainSpan } from '../unit/telemetry/otel/plain-span.ts';

export type TracedSettings = {
  readonly address: string;
  readonly taskQueue: string;
  /** The address of models and tools. */
  readonly world: string;
  readonly otlp: string;
  /** A file of the package that has OpenTelemetry's SDK among its dependencies. */
  readonly packages: string;
  /** What the tool's result says. */
  readonly secret: string;
  readonly branches: readonly string[];
  readonly cachedWorkflows: number;
};

export type TracedMessage = {
  readonly polling?: true;
  readonly span?: PlainSpan;
  /** JSON of all metrics. */
  readonly metrics?: string;
};

const settings = JSON.parse(process.argv[2] ?? '{}') as TracedSettings;
process.once('disconnect', () => process.exit());

const load = createRequire(settings.packages);
const { BasicTracerProvider, SimpleSpanProcessor } = load(
  '@opentelemetry/sdk-trace-base',
) as typeof traceSdk;
const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, ...metricSdk } = load(
  '@opentelemetry/sdk-metrics',
) as typeof metricsSdk;
const { OTLPTraceExporter } = load('@opentelemetry/exporter-trace-otlp-proto') as typeof otlpSdk;

const tell = (message: TracedMessage): void => void process.send?.(message);
const milliseconds = ([seconds, nanoseconds]: readonly [number, number]): number =>
  seconds * 1_000 + Math.floor(nanoseconds / 1_000_000);

function plain(span: ReadableSpan): PlainSpan {
  const { name, kind, parentSpanContext, attributes, status, startTime, endTime } = span;
  const { traceId, spanId } = span.spanContext();
  const [startedAt, endedAt] = [milliseconds(startTime), milliseconds(endTime)];
  const ids = { traceId, spanId, parentId: parentSpanContext?.spanId };
  return { name, kind, ...ids, startedAt, endedAt, attributes, status: status.code };
}

const toParent = {
  export: (spans: ReadableSpan[], done: (result: { code: number }) => void) => {
    for (const span of spans) tell({ span: plain(span) });
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};
const tracerProvider = new BasicTracerProvider({
  spanProcessors: [
    new SimpleSpanProcessor(new OTLPTraceExporter({ url: settings.otlp })),
    new SimpleSpanProcessor(toParent),
  ],
});
const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new metricSdk.PeriodicExportingMetricReader({ exporter: metrics });
const meterProvider = new MeterProvider({ readers: [reader] });

const reach = async (tool: string): Promise<void> =>
  void (await fetch(`${settings.world}/tools/${tool}`, { method: 'POST', body: '{}' }));
const inputSchema = { type: 'object', properties: {} };
const model = (name: string): string => `double/${name}`;

const scout = defineAgent({ id: 'scout', model: model('scout') });
const clerk = defineAgent({
  id: 'clerk',
  model: model('clerk'),
  tools: [
    defineTool({
      name: 'transfer',
      description: 'Transfers money',
      needsApproval: true,
      inputSchema,
      execute: async () => {
        await reach('transfer');
        return { said: settings.secret };
      },
    }),
  ],
});
const fan = parallel({
  id: 'fan',
  branches: settings.branches.map((id) => defineAgent({ id, model: model(id) })),
  merge: 'collect_all',
});
const chief = defineAgent({
  id: 'chief',
  model: model('chief'),
  maxIterations: 20,
  tools: [
    defineTool({
      name: 'dig',
      description: 'Digs',
      inputSchema,
      execute: async () => {
        await reach('dig');
        return { said: settings.secret };
      },
    }),
    defineTool({
      name: 'stumble',
      description: 'Fails',
      effect: 'once',
      inputSchema,
      execute: async () => {
        await reach('stumble');
        throw new RangeError('the tool stumbled');
      },
    }),
    subAgent(scout, { name: 'scout', description: 'Scouts' }),
    subAgent(clerk, { name: 'clerk', description: 'Pays' }),
    subAgent(fan, { name: 'fan', description: 'Asks everybody' }),
  ],
});

const names = ['chief', 'scout', 'clerk', ...settings.branches];
const price = { input: 3, output: 5 };
const worker = await createWorker({
  address: settings.address,
  taskQueue: settings.taskQueue,
  runners: [chief],
  providers: { double: { api: 'openai-chat', apiKey: 'key', baseURL: `${settings.world}/v1` } },
  prices: Object.fromEntries(names.map((name) => [model(name), price])),
  telemetry: openTelemetry({ tracerProvider, meterProvider }),
  workerOptions: {
    shutdownGraceTime: '1s',
    workflowThreadPoolSize: 1,
    maxCachedWorkflows: settings.cachedWorkflows,
  },
});
process.on('message', () => {
  void meterProvider.forceFlush().then(() => {
    tell({ metrics: JSON.stringify(metrics.getMetrics()) });
  });
});
tell({ polling: true });
await worker.run();
process.exit();
