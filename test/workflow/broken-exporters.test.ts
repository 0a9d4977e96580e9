// Exporters that throw, or never answer, in the middle of a run.

import {
  BasicTracerProvider,
  BatchSpanProcessor,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { openTelemetry } from '../../src/telemetry/otel';
import { aTool, callOf, TestAgents } from './builders';
import { openHarness, type Harness } from './harness';

const shutdown = (): Promise<void> => Promise.resolve();

function exporters() {
  const asked = { throwing: 0, hanging: 0 };
  const throwing = {
    export: (): never => {
      asked.throwing += 1;
      throw new Error('the exporter is broken');
    },
    shutdown,
  };
  const hanging = {
    export: () => void (asked.hanging += 1),
    forceFlush: () => new Promise<void>(() => undefined),
    shutdown,
  };
  return { asked, throwing, hanging };
}

describe('a run whose spans nobody takes', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  it.each(['throwing', 'hanging'] as const)(
    'ends as usual with an exporter that is %s, and so does its worker',
    async (kind) => {
      const { asked, ...both } = exporters();
      const exporter = both[kind];
      const tracerProvider = new BasicTracerProvider({
        spanProcessors: [
          new SimpleSpanProcessor(exporter),
          new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1, exportTimeoutMillis: 50 }),
        ],
      });
      const agents = new TestAgents();
      const look = aTool('look', () => 'seen');
      agents.agent('looker', [callOf('look'), 'Seen.'], { tools: [look] });
      const { runners, providers } = agents;
      const telemetry = openTelemetry({ tracerProvider });
      const { worker, stop } = await harness.worker({ runners, providers, telemetry });
      const run = await harness.longhaul.start('looker', 'Look.');
      expect((await run.result()).finalResponse.text).toBe('Seen.');
      expect(asked[kind]).toBeGreaterThan(0);
      await stop();
      expect(worker.getState()).toBe('STOPPED');
    },
  );
});
