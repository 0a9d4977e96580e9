// Reports what runs do through OpenTelemetry. Nothing here throws into a run, and nothing waits for an exporter.

import type { MeterProvider, Tracer, TracerProvider } from '@opentelemetry/api';
import { z } from 'zod';
import { parseOptions } from '../../define';
import { made } from '../../define/schema';
import { traceparent } from '../../protocol';
import { type CallStart, type CallWatch, type LostCall, type Telemetry, unwatched } from '../index';
import { guarded, otelApi } from './api';
import {
  nameOfCall,
  nameOfSegment,
  type Segment,
  segmentAttributes,
  startOfCall,
} from './attributes';
import { ContentWriter, type Redact } from './content';
import { errorType, longhaul } from './conventions';
import { startDerivedSpan } from './derived-span';
import { Instruments } from './instruments';
import { type AnyMeterProvider, type AnyTracerProvider, providerWith } from './provider-option';
import { recordEnd, type Recorder, WatchedCall } from './watched-call';

export type OpenTelemetryOptions = {
  /**
   * Whether prompts, answers, arguments, results and messages of errors are recorded: not at all (`off`, the default), as they are
   * (`full`), or as a function returns them.
   */
  readonly content?: 'off' | 'full' | Redact;
  /** A `TracerProvider` of OpenTelemetry. Default: the global one. */
  readonly tracerProvider?: AnyTracerProvider;
  /** A `MeterProvider` of OpenTelemetry. Default: the global one. */
  readonly meterProvider?: AnyMeterProvider;
};

const options = z.strictObject({
  content: made<'off' | 'full' | Redact>(
    (value) => value === 'off' || value === 'full' || typeof value === 'function',
    "'off', 'full' or a function (part) => string | undefined",
  ).exactOptional(),
  tracerProvider: providerWith<TracerProvider>('getTracer').exactOptional(),
  meterProvider: providerWith<MeterProvider>('getMeter').exactOptional(),
});

/**
 * Telemetry for `createWorker` and `connect`. It uses the SDK that your program has set up, and needs the package `@opentelemetry/api`.
 * Throws `SpecError` for wrong options, and `PackageMissing`.
 *
 * Attributes of spans. Metrics have some of them, never ids. Those of messages, instructions, arguments and results come with `content`
 * only. `gen_ai.usage.*` is only on `chat` spans, so that a sum counts each token once.
 *
 * | attribute | meaning |
 * |---|---|
 * | `gen_ai.operation.name` | `chat`, `execute_tool`, `invoke_agent`, `invoke_workflow` |
 * | `gen_ai.provider.name`, `gen_ai.request.model` | the provider, by the name of the conventions, and the model |
 * | `gen_ai.conversation.id`, `session.id` | the thread, or the topmost run |
 * | `gen_ai.agent.id`, `gen_ai.agent.name` | the agent's id |
 * | `gen_ai.agent.version` | hash of the pinned definition |
 * | `gen_ai.workflow.name` | the orchestration, or the type of your workflow |
 * | `gen_ai.output.type` | `text`, or `json` for an agent with an output schema |
 * | `gen_ai.request.temperature`, `gen_ai.request.max_tokens`, `gen_ai.request.stop_sequences` | settings of the call, if it has them |
 * | `gen_ai.response.id`, `gen_ai.response.model`, `gen_ai.response.finish_reasons` | what the provider says of its response |
 * | `gen_ai.response.time_to_first_chunk` | seconds |
 * | `gen_ai.usage.input_tokens`, `gen_ai.usage.output_tokens` | tokens; the input has those of the cache, the output those of reasoning |
 * | `gen_ai.usage.cache_read.input_tokens`, `gen_ai.usage.cache_creation.input_tokens` | tokens read from the provider's cache, and written to it |
 * | `gen_ai.usage.reasoning.output_tokens` | tokens of reasoning |
 * | `gen_ai.tool.name`, `gen_ai.tool.call.id`, `gen_ai.tool.description` | the tool, and the call's id |
 * | `gen_ai.tool.type` | `function`, or `extension` for a tool of an MCP server |
 * | `error.type` | the code, with the kind of a provider's error (`ProviderError.rate_limited`), or the class of what your code threw. `WorkerLost`: its worker died; the next attempt tells it |
 * | `gen_ai.system_instructions`, `gen_ai.tool.definitions` | the agent's instructions and tools |
 * | `gen_ai.input.messages`, `gen_ai.output.messages` | the prompt and the response |
 * | `gen_ai.tool.call.arguments`, `gen_ai.tool.call.result` | of a tool call |
 * | `longhaul.attempt`, `longhaul.turn` | which attempt, counted from 1, and which turn |
 * | `longhaul.purpose` | `turn`, or `summary` of older turns |
 * | `longhaul.worker_wait_ms` | how long the attempt waited for a worker |
 * | `longhaul.lost` | the worker died; the reason that the server gives |
 * | `longhaul.cost_usd` | cost of the call, if the worker knows the price |
 * | `longhaul.segment`, `longhaul.paused_ms` | which segment, and the pause before it |
 * | `longhaul.status` | how the segment ended; `needs-input` is a pause |
 * | `longhaul.run.input_tokens`, `longhaul.run.output_tokens`, `longhaul.run.cost_usd` | of the run so far, with all runs below |
 * | `longhaul.workflow_id`, `longhaul.run_id`, `longhaul.root`, `longhaul.path` | which run, and where in its tree |
 * | `longhaul.definition` | hash of the pinned definition |
 * | `longhaul.task_queue` | the task queue of the attempt |
 * | `gen_ai.token.type` | of metrics: `input` or `output` |
 * | `longhaul.agent` | of metrics: the agent, or the name of the orchestration or workflow |
 * | `longhaul.log.source` | of metrics: `cache` or `run` |
 *
 * @example
 * const telemetry = openTelemetry();
 * const worker = await createWorker({ runners: [agent], telemetry });
 */
export function openTelemetry(given: OpenTelemetryOptions = {}): Telemetry {
  const subject = 'The options of openTelemetry';
  const code = ['content', 'tracerProvider', 'meterProvider'];
  const parsed = parseOptions(options, given, { subject, code });
  const { content = 'off', tracerProvider, meterProvider } = parsed;
  const { trace, metrics } = otelApi();
  const redact = content === 'full' ? ({ text }: { readonly text: string }) => text : content;
  return new OpenTelemetry({
    tracer: () => (tracerProvider ?? trace.getTracerProvider()).getTracer('longhaul'),
    instruments: () =>
      new Instruments((meterProvider ?? metrics.getMeterProvider()).getMeter('longhaul')),
    content: redact === 'off' ? undefined : new ContentWriter(redact),
  });
}

type Parts = {
  /** Called at first use: a program may set up its SDK after it made the telemetry. */
  readonly tracer: () => Tracer;
  readonly instruments: () => Instruments;
  readonly content: ContentWriter | undefined;
};

class OpenTelemetry implements Telemetry {
  readonly #parts: Parts;
  #tracer: Tracer | undefined;
  #recorder: Recorder | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  carrier(): Readonly<Record<string, string>> | undefined {
    return guarded(() => {
      const { isSpanContextValid, trace } = otelApi();
      const context = trace.getActiveSpan()?.spanContext();
      if (context === undefined || !isSpanContextValid(context)) return undefined;
      const { traceId, spanId, traceFlags, traceState } = context;
      const flags = (traceFlags & 0xff).toString(16).padStart(2, '0');
      const tracestate = traceState?.serialize();
      return {
        traceparent: traceparent({ traceId, spanId, flags }),
        ...(tracestate && { tracestate }),
      };
    });
  }

  begin(call: CallStart): CallWatch {
    const watch = guarded(() => new WatchedCall(this.#recording, call, this.#startCall(call)));
    return watch ?? unwatched;
  }

  lost(call: CallStart, end: LostCall): void {
    guarded(() => {
      const span = this.#startCall(call);
      recordEnd(span, call, { end, recorder: this.#recording });
      const { SpanStatusCode } = otelApi();
      span.setAttributes({ [longhaul.lost]: end.reason, [errorType]: lostType });
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(Math.max(call.startedAt, end.endedAt)));
    });
    guarded(() => {
      const durationMs = Math.max(0, end.endedAt - call.startedAt);
      const { instruments } = this.#recording;
      instruments.callEnded(call, { ...end, durationMs, errorType: lostType });
    });
  }

  segment(segment: Segment): void {
    guarded(() => {
      const { SpanKind, SpanStatusCode } = otelApi();
      const span = startDerivedSpan(this.#tracing, {
        ...segment,
        name: nameOfSegment(segment),
        kind: SpanKind.INTERNAL,
        attributes: segmentAttributes(segment),
      });
      if (segment.status === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(segment.endedAt));
    });
    guarded(() => this.#recording.instruments.segmentEnded(segment));
  }

  logRead(from: 'cache' | 'run'): void {
    guarded(() => this.#recording.instruments.logRead(from));
  }

  #startCall(call: CallStart): ReturnType<typeof startDerivedSpan> {
    const { SpanKind } = otelApi();
    return startDerivedSpan(this.#tracing, {
      span: call.span,
      above: call.above,
      startedAt: call.startedAt,
      name: nameOfCall(call),
      kind: call.call.kind === 'model' ? SpanKind.CLIENT : SpanKind.INTERNAL,
      attributes: startOfCall(call),
    });
  }

  get #tracing(): Tracer {
    this.#tracer ??= this.#parts.tracer();
    return this.#tracer;
  }

  get #recording(): Recorder {
    const { content, instruments } = this.#parts;
    this.#recorder ??= { content, instruments: instruments() };
    return this.#recorder;
  }
}

/** The worker died, or lost its connection. */
const lostType = 'WorkerLost';
