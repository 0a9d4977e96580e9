// Records one attempt at a call, from its begin to its end, as a span and as metrics.

import { defined } from '../../base';
import type { Context, Span } from '@opentelemetry/api';
import type { CallEnd, CallStart, CallWatch } from '../index';
import { guarded, otelApi } from './api';
import { endOfCall, errorTypeOf } from './attributes';
import type { ContentWriter } from './content';
import { errorType, genAi } from './conventions';
import type { Instruments } from './instruments';

export type Recorder = {
  readonly instruments: Instruments;
  /** Undefined if nobody may record content. */
  readonly content: ContentWriter | undefined;
};

export class WatchedCall implements CallWatch {
  readonly #recorder: Recorder;
  readonly #start: CallStart;
  readonly #span: Span;
  readonly #context: Context;
  #firstTokenMs: number | undefined;
  #hasEnded = false;

  constructor(recorder: Recorder, start: CallStart, span: Span) {
    const { context, trace } = otelApi();
    this.#recorder = recorder;
    this.#start = start;
    this.#span = span;
    this.#context = trace.setSpan(context.active(), span);
  }

  run<Result>(code: () => Result): Result {
    let hasBegun = false;
    try {
      return otelApi().context.with(this.#context, () => {
        hasBegun = true;
        return code();
      });
    } catch (error) {
      if (hasBegun) throw error;
      return code();
    }
  }

  firstToken(): void {
    this.#firstTokenMs ??= this.#passedMs();
  }

  end(end: CallEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const durationMs = this.#passedMs();
    const firstTokenMs = this.#firstTokenMs;
    guarded(() => {
      recordStart(this.#span, this.#start, this.#recorder);
      if (firstTokenMs !== undefined)
        this.#span.setAttribute(genAi.timeToFirstChunk, firstTokenMs / 1_000);
      recordEnd(this.#span, this.#start, { end, recorder: this.#recorder });
    });
    guarded(() => this.#span.end(new Date(this.#start.startedAt + durationMs)));
    guarded(() =>
      this.#recorder.instruments.callEnded(this.#start, { ...end, durationMs, firstTokenMs }),
    );
  }

  #passedMs(): number {
    return Math.max(0, Date.now() - this.#start.startedAt);
  }
}

/** Records the content that a call was made with. */
function recordStart(span: Span, { call }: CallStart, { content }: Recorder): void {
  if (content === undefined || !span.isRecording()) return;
  if (call.kind === 'tool') {
    const args = call.args === undefined ? undefined : content.args(call.name, call.args);
    setKnown(span, { [genAi.toolArguments]: args });
    return;
  }
  const { request } = call;
  if (request === undefined) return;
  setKnown(span, {
    [genAi.systemInstructions]: content.instructions(request),
    [genAi.inputMessages]: content.input(request),
    [genAi.toolDefinitions]: content.toolDefinitions(request),
  });
}

type Ended = { readonly end: CallEnd; readonly recorder: Recorder };

/** Records how a call ended. */
export function recordEnd(span: Span, { call }: CallStart, { end, recorder }: Ended): void {
  const { content } = recorder;
  const { response, output, error } = end;
  span.setAttributes(endOfCall(end));
  if (content !== undefined && span.isRecording())
    setKnown(span, {
      [genAi.outputMessages]: response && content.output(response),
      [genAi.toolResult]:
        call.kind === 'tool' && output ? content.result(call.name, output) : undefined,
    });
  const type = errorTypeOf(end);
  if (type === undefined) return;
  span.setAttribute(errorType, type);
  const said =
    error === undefined ? undefined : content?.text({ kind: 'error', text: textOf(error) });
  const { SpanStatusCode } = otelApi();
  span.setStatus({ code: SpanStatusCode.ERROR, ...defined({ message: said }) });
  if (said !== undefined) span.recordException({ name: type, message: said });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function setKnown(span: Span, attributes: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) span.setAttribute(name, value);
}
