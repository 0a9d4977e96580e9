// The port for telemetry: the calls with which workers and clients report about their runs. Nothing of it is in history, and a replay
// reports nothing.
//
// 1. Ids of spans are derived from the run, so that a call names the span above it before that span has ended.
// 2. A worker may report the same twice, under the same id: after a crash, a reset, or a workflow task that the server did not take.

import { hasMethods, type Json } from '../base';
import type { EndedSegment, ToolOutput } from '../protocol';
import type { ModelRequest, ModelResponse } from '../providers';

/** Takes the reports of workers and clients. `openTelemetry()` makes one. No method throws or waits. */
export interface Telemetry {
  /** The trace context of the code that runs now, as a W3C carrier (`traceparent`, `tracestate`). Undefined outside of a trace. */
  carrier(): Readonly<Record<string, string>> | undefined;
  /** Call it when an attempt at a call begins. */
  begin(call: CallStart): CallWatch;
  /** Reports an attempt on another worker that ended without a report, because that worker was lost. */
  lost(call: CallStart, end: LostCall): void;
  /** Reports a part of a run between two pauses that has ended. */
  segment(segment: EndedSegment & RunOfSegment): void;
  /** Reports that a worker needed the log of a run, and had it (`cache`) or read it from the run (`run`). */
  logRead(from: 'cache' | 'run'): void;
}

/** One attempt at a call. */
export interface CallWatch {
  /** Runs code inside the span, so that what the code records is below it. */
  run<Result>(code: () => Result): Result;
  /** Call it when the first piece of the response has arrived. Only the first call counts. */
  firstToken(): void;
  /** Only the first call counts. */
  end(end: CallEnd): void;
}

/** The watch of a call without telemetry. */
export const unwatched: CallWatch = {
  run: (code) => code(),
  firstToken: () => undefined,
  end: () => undefined,
};

/** The run that a call is for. */
export type RunOfCall = {
  readonly workflowId: string;
  readonly runId: string;
  /** The workflow id of the topmost run. */
  readonly root: string;
  /** The way from the root, such as `pipeline/research/branch-2`. */
  readonly path: string;
  readonly agentId: string;
  /** The thread of the topmost run, if that is a turn of one. */
  readonly thread?: string;
  /** Hash of the pinned definition, shortened. Absent for the summary of a thread. */
  readonly definition?: string;
};

export type RunOfSegment = Pick<RunOfCall, 'workflowId' | 'runId'> & { readonly taskQueue: string };

export type CallStart = {
  /** The id of the call's span: 16 hex characters. */
  readonly span: string;
  /** W3C `traceparent` of the span above. */
  readonly above: string;
  readonly run: RunOfCall;
  readonly taskQueue: string;
  readonly turn: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** How long this attempt waited for a worker, in milliseconds. */
  readonly workerWaitMs: number;
  readonly call: ModelCall | ToolCall;
};

export type ModelCall = {
  readonly kind: 'model';
  readonly purpose: 'turn' | 'summary';
  /** The name of the provider, as in `'<provider>/<model>'`. */
  readonly provider: string;
  readonly model: string;
  /** Absent for an attempt that was lost. */
  readonly request?: ModelRequest;
};

export type ToolCall = {
  readonly kind: 'tool';
  readonly name: string;
  /** `extension`: behind an MCP server. */
  readonly type: 'function' | 'extension';
  readonly callId: string;
  readonly description?: string;
  /** Absent for an attempt that was lost. */
  readonly args?: Json;
};

/** How an attempt ended. `error` is the thrown error, also if the model sees it as the call's result. */
export type CallEnd = {
  readonly response?: ModelResponse;
  /** In US dollars, if the worker knows the model's price. */
  readonly costUsd?: number;
  readonly output?: ToolOutput;
  readonly error?: unknown;
};

/** `endedAt`: when the server gave the attempt up, in milliseconds since 1970. `response`: the response that the lost worker had kept. */
export type LostCall = Pick<CallEnd, 'response' | 'costUsd'> & {
  readonly endedAt: number;
  /** Such as `heartbeat timeout`. */
  readonly reason: string;
};

export function isTelemetry(value: unknown): value is Telemetry {
  return hasMethods(value, 'carrier', 'begin', 'lost', 'segment', 'logRead');
}
