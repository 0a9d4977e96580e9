// Stream events as chunks of the AI SDK's UI message stream. One encoder writes one assistant message: a turn of a chat.
//
// 1. The message depends on the log alone: who watched live, who came late and who reloaded end with equal messages.
// 2. A step is a turn of the model. A new attempt begins with `reset-step`.
// 3. A client sends answers by itself when every tool part of the last step is answered. So open inputs of runs below stand in a step of
//    their own, as dynamic tools, and requests for approval are written when the run does nothing else.
//
// Source: `ui-message-stream/ui-message-chunks.ts` and `ui/process-ui-message-stream.ts` of the package `ai` 7.0.

import { defined, type Json } from '../../base';
import type { FinishReason, PendingInput, ToolResult, UserMessage } from '../../protocol';
import type { StreamEvent } from '../../core/stream/events';
import { listedInputId } from '../../core/people/input-ids';
import { availableChunk, changed, fileChunk, finishReasons, inputChunk } from './chunks';
import type { UiChunk } from './chunks';
import { type ShownCall, ShownCalls } from './shown-calls';
import { Steps } from './steps';

type Of<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

export class MessageEncoder {
  /** The workflow id of the turn's run. It is the id of the message, too. */
  readonly #root: string;
  readonly #calls: ShownCalls;
  readonly #steps = new Steps();
  /** How many messages of people the log has. */
  #said = 0;
  #finishReason: FinishReason | undefined;

  /** `had`: the ids of calls in the message that the client has. It keeps those that an older version gave. */
  constructor(root: string, had: Iterable<string> = []) {
    this.#root = root;
    this.#calls = new ShownCalls(root, had);
  }

  /** The chunk that comes before all others. */
  start(): UiChunk {
    return { type: 'start', messageId: this.#root };
  }

  push(event: StreamEvent): readonly UiChunk[] {
    return event.workflowId === this.#root ? this.#own(event) : this.#below(event);
  }

  /** Ends a message that goes no further. */
  fail(errorText: string): UiChunk {
    return { type: 'error', errorText };
  }

  #own(event: StreamEvent): readonly UiChunk[] {
    switch (event.type) {
      case 'step-begin':
        if (this.#steps.isAt(event.turn)) this.#calls.forget(event.turn);
        return this.#steps.begin(event.turn);
      case 'text':
      case 'reasoning':
        return this.#steps.say(event);
      case 'call-begin':
      case 'call-delta':
      case 'call':
        return this.#call(event);
      case 'step-end':
        return this.#endStep(event);
      case 'user':
        return this.#steer(event.message);
      case 'paused':
        return this.#pause(event.pending);
      case 'end':
        return this.#end(event);
      case 'stalled':
        return [{ type: 'data-longhaul-stalled', data: { reason: event.reason }, transient: true }];
      default:
        return this.#decided(event);
    }
  }

  /** A run below shows only the calls about which people decide. */
  #below(event: StreamEvent): readonly UiChunk[] {
    if (event.type !== 'call') return this.#decided(event);
    this.#calls.keep(event);
    return [];
  }

  #decided(event: StreamEvent): readonly UiChunk[] {
    switch (event.type) {
      case 'call-edited':
        return this.#edit(event);
      case 'verdict':
        return this.#judge(event);
      case 'result':
        return this.#answer(event);
      default:
        return [];
    }
  }

  #call(event: Of<'call-begin' | 'call-delta' | 'call'>): readonly UiChunk[] {
    if (event.type === 'call-begin') {
      const { toolCallId, name } = this.#calls.show(event, event.name, {});
      return [{ type: 'tool-input-start', toolCallId, toolName: name }];
    }
    if (event.type === 'call') {
      const { toolCallId } = this.#calls.show(event, event.call.name, event.call.args);
      return [inputChunk(toolCallId, event.call)];
    }
    const call = this.#calls.at(event);
    if (call === undefined) return [];
    const { toolCallId } = call;
    return [{ type: 'tool-input-delta', toolCallId, inputTextDelta: event.delta }];
  }

  #endStep({ turn, content, finishReason }: Of<'step-end'>): readonly UiChunk[] {
    this.#finishReason = finishReason;
    const files = content.flatMap((part) => (part.type === 'media' ? fileChunk(part) : []));
    return [...this.#steps.end(turn), ...files];
  }

  /** A message while the run works, in a step of its own: it voids a step without an end. The turn answers the first message. */
  #steer({ parts }: UserMessage): readonly UiChunk[] {
    this.#said += 1;
    if (this.#said === 1) return [];
    const { openTurn } = this.#steps;
    if (openTurn !== undefined) this.#calls.forget(openTurn);
    const texts = parts.flatMap((part) =>
      part.type === 'text' ? [{ type: 'text', text: part.text }] : [],
    );
    return [
      ...this.#steps.interrupt(),
      { type: 'steering-message', id: `${this.#root}:${this.#said}`, parts: texts },
    ];
  }

  #edit(event: Of<'call-edited'>): readonly UiChunk[] {
    const call = this.#calls.at(event);
    if (call === undefined) return [];
    const edited = changed(call, event.args);
    this.#calls.replace(event, edited);
    return call.isShown ? [availableChunk(edited)] : [];
  }

  /** What was decided. A request that nobody watched is written with its answer. */
  #judge({ verdict, workflowId }: Of<'verdict'>): readonly UiChunk[] {
    const call = this.#calls.judged(workflowId, verdict.inputId);
    if (call === undefined || verdict.isVote === true) return [];
    const shown = this.#showBelow(call);
    if (verdict.verdict !== 'approve' && verdict.verdict !== 'reject') return shown;
    const inputId = listedInputId(workflowId, verdict.inputId);
    const request = this.#request(call, { inputId, digest: verdict.digest });
    if (verdict.verdict === 'reject') {
      call.approval = { inputId, isRejected: true };
      return [...shown, ...request];
    }
    const edited = verdict.args && availableChunk(changed(call, verdict.args));
    const response = {
      type: 'tool-approval-response',
      approvalId: inputId,
      approved: true,
      ...defined({ reason: verdict.note }),
    };
    return [...shown, ...request, ...(edited ? [edited] : []), response];
  }

  #answer(event: Of<'result'>): readonly UiChunk[] {
    const call = this.#calls.at(event);
    if (call === undefined) return [];
    if (call.isBelow) this.#calls.delete(event);
    if (!call.isShown) return [];
    const { toolCallId } = call;
    const { result } = event;
    if (call.approval?.isRejected === true) {
      const approvalId = call.approval.inputId;
      const reason = errorText(result);
      return [
        { type: 'tool-approval-response', approvalId, approved: false, reason },
        { type: 'tool-output-denied', toolCallId },
      ];
    }
    return result.isError
      ? [{ type: 'tool-output-error', toolCallId, errorText: errorText(result) }]
      : [{ type: 'tool-output-available', toolCallId, output: outputOf(result) }];
  }

  #pause(pending: readonly PendingInput[]): readonly UiChunk[] {
    const open = pending.toSorted((one, other) => compare(one.path, other.path));
    return [...open.flatMap((input) => this.#ask(input)), ...this.#finish('tool_calls')];
  }

  #ask(input: PendingInput): readonly UiChunk[] {
    const { inputId, kind, digest } = input;
    const call = this.#calls.waiting(input);
    const shown = this.#showBelow(call);
    return kind === 'approval' ? [...shown, ...this.#request(call, { inputId, digest })] : shown;
  }

  #showBelow(call: ShownCall): readonly UiChunk[] {
    if (call.isShown) return [];
    call.isShown = true;
    return [...this.#steps.below(), availableChunk(call)];
  }

  #request(
    call: ShownCall,
    { inputId, digest }: { readonly inputId: string; readonly digest: string | undefined },
  ): readonly UiChunk[] {
    if (call.approval?.inputId === inputId) return [];
    call.approval = { inputId, isRejected: false };
    const { toolCallId } = call;
    const descriptor = digest === undefined ? {} : { approvalDescriptor: { digest } };
    return [{ type: 'tool-approval-request', approvalId: inputId, toolCallId, ...descriptor }];
  }

  #end(event: Of<'end'>): readonly UiChunk[] {
    if (event.status === 'completed') return this.#finish(this.#finishReason ?? 'stop');
    const { error } = event;
    // The client ignores `abort`. An interrupted message is one that it does not go on with by itself.
    if (event.status === 'cancelled')
      return [
        { type: 'abort', ...(error && { reason: error.message }) },
        { type: 'finish', finishReason: 'interrupted' },
      ];
    return [this.fail(error?.message ?? 'the run failed')];
  }

  #finish(reason: FinishReason): readonly UiChunk[] {
    return [...this.#steps.finish(), { type: 'finish', finishReason: finishReasons[reason] }];
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** A result as the client's tool part has it: the value of a single JSON or text, else all parts. */
function outputOf({ content }: Pick<ToolResult, 'content'>): Json {
  const [first, ...others] = content;
  if (first === undefined) return null;
  if (others.length === 0 && first.type === 'json') return first.value;
  if (others.length === 0 && first.type === 'text') return first.text;
  return content as unknown as Json;
}

function errorText(result: Pick<ToolResult, 'content'>): string {
  const output = outputOf(result);
  return typeof output === 'string' ? output : JSON.stringify(output);
}
