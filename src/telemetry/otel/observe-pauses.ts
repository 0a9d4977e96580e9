// Measures open pauses and their age, for one process of a fleet, because all processes have the same inbox.

import type { Attributes, MeterProvider, ObservableResult } from '@opentelemetry/api';
import { z } from 'zod';
import { parseOptions } from '../../define';
import { count } from '../../define/schema';
import { guarded, otelApi, warn } from './api';
import { longhaul as names, metricNames } from './conventions';
import { type AnyMeterProvider, providerWith } from './provider-option';

export type ObservePausesOptions = {
  /** A `MeterProvider` of OpenTelemetry. Default: the global one. */
  readonly meterProvider?: AnyMeterProvider;
  /** How often the inbox is read. Default: every minute. */
  readonly everyMs?: number;
};

const optionsShape = z.strictObject({
  meterProvider: providerWith<MeterProvider>('getMeter').exactOptional(),
  everyMs: count(1).exactOptional(),
});

/** The client. */
type WithInbox = {
  inbox(filter: { readonly limit: number }): AsyncIterable<OpenInput>;
};

type OpenInput = { readonly agentId: string; readonly since: string };

/** The most items that one reading counts. */
const mostItems = 1_000;

/** The open inputs of one agent. */
type Open = { count: number; readonly since: number };

/**
 * Measures how many inputs wait for a person, by agent, and how old the oldest is, in seconds. It counts at most 1,000. Use it in one
 * process: all of them see the same inbox. A reading that fails is left out, and OpenTelemetry's diagnostics get the error. Returns a
 * function that stops it. Throws `SpecError` for wrong options, and `PackageMissing`.
 */
export function observePauses(longhaul: WithInbox, given: ObservePausesOptions = {}): () => void {
  const subject = 'The options of observePauses';
  const code = ['meterProvider'];
  const options = parseOptions(optionsShape, given, { subject, code });
  const { meterProvider, everyMs = 60_000 } = options;
  let open: ReadonlyMap<string, Open> = new Map();
  let isReading = false;
  const read = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      open = await openInputs(longhaul);
    } catch (error) {
      warn('Longhaul could not read the open pauses', error);
    } finally {
      isReading = false;
    }
  };
  const stop = gauges(meterProvider ?? otelApi().metrics.getMeterProvider(), () => open);
  const timer = setInterval(() => void read(), everyMs).unref();
  void read();
  return () => {
    clearInterval(timer);
    guarded(stop);
  };
}

async function openInputs(longhaul: WithInbox): Promise<ReadonlyMap<string, Open>> {
  const open = new Map<string, Open>();
  for await (const { agentId, since } of longhaul.inbox({ limit: mostItems })) {
    const at = Date.parse(since);
    const known = open.get(agentId);
    const oldest = Math.min(known?.since ?? Infinity, Number.isNaN(at) ? Date.now() : at);
    open.set(agentId, { count: (known?.count ?? 0) + 1, since: oldest });
  }
  return open;
}

/** Returns a function that removes the gauges. */
function gauges(provider: MeterProvider, read: () => ReadonlyMap<string, Open>): () => void {
  const meter = provider.getMeter('longhaul');
  const counted = meter.createObservableGauge(metricNames.openPauses, { unit: '{pause}' });
  const oldest = meter.createObservableGauge(metricNames.oldestPause, { unit: 's' });
  const each =
    (valueOf: (open: Open) => number) =>
    (result: ObservableResult): void => {
      for (const [agent, open] of read()) result.observe(valueOf(open), agentOf(agent));
    };
  const countOpen = each((open) => open.count);
  const ageOfOldest = each(({ since }) => Math.max(0, Date.now() - since) / 1_000);
  counted.addCallback(countOpen);
  oldest.addCallback(ageOfOldest);
  return () => {
    counted.removeCallback(countOpen);
    oldest.removeCallback(ageOfOldest);
  };
}

function agentOf(agent: string): Attributes {
  return { [names.agent]: agent };
}
