// Metrics. Their attributes have few values: names of providers, models, tools and agents, never ids.

import { defined } from '../../base';
import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import type { CallEnd, CallStart, ModelCall, ToolCall } from '../index';
import { errorTypeOf, isAgent, type Segment } from './attributes';
import { errorType, genAi, longhaul, metricNames, providerName, spanNames } from './conventions';

/** Seconds, as the conventions advise. */
const durations = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];

/** Tokens, as the conventions advise. */
const tokenCounts = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];

/** Seconds from a moment to a month. */
const pauses = [1, 10, 60, 600, 3_600, 21_600, 86_400, 259_200, 604_800, 2_592_000];

export type EndedCall = CallEnd & {
  readonly durationMs: number;
  readonly firstTokenMs?: number | undefined;
  /** Replaces the name of `error`. */
  readonly errorType?: string;
};

export class Instruments {
  readonly #operation: Histogram;
  readonly #tokens: Histogram;
  readonly #firstChunk: Histogram;
  readonly #tool: Histogram;
  readonly #workflow: Histogram;
  readonly #pause: Histogram;
  readonly #cost: Counter;
  readonly #failed: Counter;
  readonly #runs: Counter;
  readonly #logReads: Counter;

  constructor(meter: Meter) {
    const histogram = (name: string, unit: string, boundaries: number[]): Histogram =>
      meter.createHistogram(name, { unit, advice: { explicitBucketBoundaries: boundaries } });
    this.#operation = histogram(metricNames.operationDuration, 's', durations);
    this.#tokens = histogram(metricNames.tokenUsage, '{token}', tokenCounts);
    this.#firstChunk = histogram(metricNames.timeToFirstChunk, 's', durations);
    this.#tool = histogram(metricNames.toolDuration, 's', durations);
    this.#workflow = histogram(metricNames.workflowDuration, 's', durations);
    this.#pause = histogram(metricNames.pauseDuration, 's', pauses);
    this.#cost = meter.createCounter(metricNames.cost, { unit: '{USD}' });
    this.#failed = meter.createCounter(metricNames.failedCalls, { unit: '{attempt}' });
    this.#runs = meter.createCounter(metricNames.runs, { unit: '{run}' });
    this.#logReads = meter.createCounter(metricNames.logReads, { unit: '{read}' });
  }

  callEnded(start: CallStart, end: EndedCall): void {
    const error = end.errorType ?? errorTypeOf(end);
    const failure = error === undefined ? {} : { [errorType]: error };
    const { call, run } = start;
    if (call.kind === 'tool') return this.#toolEnded(call, failure, end);
    this.#modelEnded(call, failure, end);
    const { costUsd } = end;
    if (costUsd !== undefined)
      this.#cost.add(costUsd, { ...targetOf(call), [longhaul.agent]: run.agentId });
  }

  segmentEnded(segment: Segment): void {
    const { runner, status, pausedMs, startedAt, endedAt, error } = segment;
    const agent = { [longhaul.agent]: runner };
    if (pausedMs !== undefined) this.#pause.record(pausedMs / 1_000, agent);
    if (!isAgent(segment))
      this.#workflow.record((endedAt - startedAt) / 1_000, {
        [genAi.workflowName]: runner,
        ...defined({ [errorType]: error }),
      });
    if (status !== 'needs-input') this.#runs.add(1, { ...agent, [longhaul.status]: status });
  }

  logRead(from: 'cache' | 'run'): void {
    this.#logReads.add(1, { [longhaul.logSource]: from });
  }

  #toolEnded({ name, type }: ToolCall, failure: Attributes, { durationMs }: EndedCall): void {
    this.#tool.record(durationMs / 1_000, {
      [genAi.operation]: spanNames.executeTool,
      [genAi.toolName]: name,
      [genAi.toolType]: type,
      ...failure,
    });
  }

  #modelEnded(call: ModelCall, failure: Attributes, end: EndedCall): void {
    const { response, durationMs, firstTokenMs } = end;
    const target = targetOf(call);
    this.#operation.record(durationMs / 1_000, { ...target, ...failure });
    if (firstTokenMs !== undefined) this.#firstChunk.record(firstTokenMs / 1_000, target);
    if (errorType in failure) this.#failed.add(1, { ...target, ...failure });
    const { inputTokens, outputTokens } = response?.usage ?? {};
    for (const [type, tokens] of Object.entries({ input: inputTokens, output: outputTokens }))
      if (tokens != null) this.#tokens.record(tokens, { ...target, [genAi.tokenType]: type });
  }
}

function targetOf({ provider, model }: ModelCall): Attributes {
  return {
    [genAi.operation]: spanNames.chat,
    [genAi.provider]: providerName(provider),
    [genAi.requestModel]: model,
  };
}
