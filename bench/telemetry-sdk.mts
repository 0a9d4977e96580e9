// Telemetry of a contestant of bench/telemetry.mts: OpenTelemetry's SDK as a service sets it up, and a receiver in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { openTelemetry, type Telemetry } from 'longhaul';
import type { Said } from './telemetry-receiver.mts';

export type StartedTelemetry = {
  readonly telemetry: Telemetry;
  /** Bytes that the receiver has had until now. */
  sentBytes(): number;
};

/** The SDK waits 5 seconds by default. What it sends must cost its CPU while a round is measured. */
const scheduleDelayMs = 500;

export async function startTelemetry(options: {
  readonly content: 'off' | 'full';
  readonly hangs: boolean;
}): Promise<StartedTelemetry> {
  const { content, hangs } = options;
  const script = join(import.meta.dirname, 'telemetry-receiver.mts');
  const receiver = fork(script, hangs ? ['hangs'] : []);
  const [listening] = (await once(receiver, 'message')) as [Said];
  let sentBytes = 0;
  receiver.on('message', (said: Said) => (sentBytes += 'bytes' in said ? said.bytes : 0));
  if ('port' in listening)
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = `http://127.0.0.1:${listening.port}`;
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = String(scheduleDelayMs);
  new NodeSDK({ serviceName: 'bench' }).start();
  return { telemetry: openTelemetry({ content }), sentBytes: () => sentBytes };
}
