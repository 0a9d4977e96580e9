// The place of a run in a trace, as W3C Trace Context writes it (https://www.w3.org/TR/trace-context/). It travels only if the worker that
// loaded the definition has telemetry.

import { hashOf } from '../base';
import type { RunSpend, RunStatus } from './run';
import type { RunnerSpec } from './spec';

/** `trace`: W3C `traceparent` of the span above. Its span id is zeros if none is above. */
export type Traced = { readonly trace?: string };

export type TraceParent = {
  /** 32 hex characters. */
  readonly traceId: string;
  /** 16 hex characters. */
  readonly spanId: string;
  /** Two hex characters. `01`: sampled. */
  readonly flags: string;
};

/** The span id where no span is above. */
export const noSpan = '0'.repeat(16);

const noTrace = '0'.repeat(32);

const format =
  /^(?!ff)[0-9a-f]{2}-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?:-.*)?$/;

/**
 * A part of a run: from its start or the end of a pause to the next pause or the end of the run. A run pauses while it, or a run below it,
 * waits for a person.
 */
export type EndedSegment = {
  /** The id of its span: 16 hex characters. */
  readonly span: string;
  /** W3C `traceparent` of the span above. Later segments of a run are below its first. */
  readonly above: string;
  /** Counts from 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** How long the pause before it was, in milliseconds. */
  readonly pausedMs?: number;
  /** `needs-input`: the run pauses. Otherwise, how it ended. */
  readonly status: RunStatus;
  /** The code of the failure, if it failed. */
  readonly error?: string;
  /** `workflow`: a user's own workflow that starts runs. It is one segment. */
  readonly kind: RunnerSpec['kind'] | 'workflow';
  /** The id of the runner, or the type of the user's workflow. */
  readonly runner: string;
  readonly path: string;
  readonly root: string;
  readonly thread?: string;
  /** The hash of the pinned definition, shortened. */
  readonly definition?: string;
  /** The spending of the whole run so far, with all runs below it. */
  readonly spend?: RunSpend;
};

/** The sink with which workflows report to telemetry. The worker provides it, and a replay does not call it. */
export type TelemetrySinks = {
  readonly longhaulTelemetry: { segment(segment: EndedSegment): void };
};

export function traceparent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** Undefined if the text is not a `traceparent`. Later versions of the format may have more fields. */
export function readTraceparent(text: unknown): TraceParent | undefined {
  if (typeof text !== 'string' || text.length > 200) return undefined;
  const found = format.exec(text)?.groups as TraceParent | undefined;
  return found === undefined || found.traceId === noTrace ? undefined : { ...found };
}

/** The trace of a run without a trace from its caller. All runs that it starts have the same trace. */
export function derivedTrace(topmost: string): TraceParent {
  return { traceId: hashOf(`trace ${topmost}`) + hashOf(topmost), spanId: noSpan, flags: '01' };
}
