// Pure: no server. The real SDK of OpenTelemetry, and an inbox of items.

import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { InboxItem } from '../../../../src/client';
import { observePauses } from '../../../../src/telemetry/otel';

const hour = 3_600_000;

const item = (agentId: string, ageMs: number): InboxItem =>
  ({ agentId, since: new Date(Date.now() - ageMs).toISOString() }) as InboxItem;

/** What is measured after the inbox was read once: values by metric and agent. */
async function measured(...items: readonly (InboxItem | Error)[]) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter })],
  });
  let stop = (): void => undefined;
  await new Promise<void>((resolve) => {
    async function* inbox(): AsyncGenerator<InboxItem, void, void> {
      try {
        for (const each of items) {
          if (each instanceof Error) throw each;
          yield await Promise.resolve(each);
        }
      } finally {
        setImmediate(resolve);
      }
    }
    stop = observePauses({ inbox }, { meterProvider });
  });
  await meterProvider.forceFlush();
  stop();
  await meterProvider.shutdown();
  const [first] = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
  return Object.fromEntries(
    (first?.metrics ?? []).map(({ descriptor, dataPoints }) => [
      descriptor.name,
      Object.fromEntries(
        dataPoints.map(({ attributes, value }) => [attributes['longhaul.agent'], value]),
      ),
    ]),
  );
}

describe('observePauses', () => {
  it('counts the open inputs of each agent, and measures the age of the oldest', async () => {
    const items = [item('buyer', 2 * hour), item('buyer', hour), item('seller', hour)];
    expect(await measured(...items)).toEqual({
      'longhaul.pauses.open': { buyer: 2, seller: 1 },
      'longhaul.pauses.oldest_age': {
        buyer: expect.closeTo(7_200, -1) as number,
        seller: expect.closeTo(3_600, -1) as number,
      },
    });
  });

  it('never throws, and measures nothing that it could not read', async () => {
    expect(await measured(item('buyer', hour), new Error('no server'))).toEqual({});
  });

  it('refuses an option that it does not have', () => {
    const options = { every: 5 } as object;
    expect(() => observePauses({ inbox: async function* () {} }, options)).toThrow('every');
  });
});
