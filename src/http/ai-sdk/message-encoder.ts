// Stream events as chunks of the AI SDK's UI message stream. One encoder writes one assistant message: a turn of a chat.
//
// 1. The message depends on the log alone: who watched live, who came late and who reloaded end with equal messages.
// 2. A step is a turn of the model. A new attempt begins with `reset-step`, which clients before version 7 lack: they get whole turns.
// 3. The id of a call names its run and its place there: providers may give the same id in each turn of a chat.
// 4. A client sends answers by itself when every tool part of the last step is answered. So open inputs of runs below stand in a step of
//    their own, as dynamic tools, and requests for approval are written when the run does nothing else.
//
// Source: `ui-message-stream/ui-message-chunks.ts` and `ui/process-ui-message-stream.ts` of the package `ai` 7.0.

import { defined } from '../../base/json';
import type { FinishReason, UserMessage } from '../../protocol/message';
import type { PendingInput } from '../../protocol/run';
import type { StreamEvent } from '../../core/stream/events';
import { listedInputId, placeIn } from '../../core/people/input-ids';
import type { AiSdkVersion } from '../route';
import { availableChunk, changed, fileChunk, finishReasons, inputChunk } from './chunks';
import type { ShownInput, UiChunk } from './chunks';
import { errorText, outputOf } from './tool-output';

/** A part of the message that shows a call. */
type ShownCall = ShownInput & {
  isShown: boolean;
  approval?: { readonly inputId: string; isRejected: boolean };
};

type Of<Type extends StreamEvent['type']> = Extract<StreamEvent, { readonly type: Type }>;

export class MessageEncoder {
  readonly #version: AiSdkVersion;
  /** The workflow id of the turn's run. It is the id of the message, too. */
  readonly #root: string;
  readonly #calls = new Map<string, ShownCall>();
  /** Ids of calls in the message that the client has. */
  readonly #had: Set<string>;
  /** The model turn of the last step. */
  #turn: number | undefined;
  /** That step has no end yet. */
  #isOpen = false;
  #hasStep = false;
  /** How many messages of people the log has. */
  #said = 0;
  #isStepBelow = false;
  #texts = new Map<number, 'text' | 'reasoning'>();
  /** What a client that wants whole turns has not got yet. */
  #held: UiChunk[] | undefined;
  #finishReason: FinishReason | undefined;

  /** `had`: the ids of calls in the message that the client has. It keeps those that an older version gave. */
  constructor(root: string, version: AiSdkVersion = 7, had: Iterable<string> = []) {
    this.#root = root;
    this.#version = version;
    this.#had = new Set(had);
  }

  /** The chunk that comes before all others. */
  start(): UiChunk {
    return { type: 'start', messageId: this.#root };
  }

  push(event: StreamEvent): readonly UiChunk[] {
    const chunks = event.workflowId === this.#root ? this.#own(event) : this.#below(event);
    if (this.#held === undefined) return chunks.map((chunk) => this.#known(chunk));
    if (event.type === 'step-begin') this.#held = [];
    this.#held.push(...chunks);
    if (event.type !== 'step-end') return [];
    const whole = this.#held.map((chunk) => this.#known(chunk));
    this.#held = undefined;
    return whole;
  }

  /** Ends a message that goes no further. */
  fail(errorText: string): UiChunk {
    return { type: 'error', errorText };
  }

  #own(event: StreamEvent): readonly UiChunk[] {
    switch (event.type) {
      case 'step-begin':
        return this.#beginStep(event);
      case 'text':
      case 'reasoning':
        return this.#say(event);
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
    const { call } = event;
    const toolCallId = callIdOf(event);
    const shown = { name: call.name, args: call.args, isBelow: true, isShown: false };
    this.#calls.set(keyOf(event), { toolCallId, ...shown });
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

  #beginStep({ turn }: Of<'step-begin'>): readonly UiChunk[] {
    this.#texts = new Map();
    if (this.#version < 7) this.#held ??= [];
    const isAgain = this.#turn === turn;
    [this.#turn, this.#isOpen] = [turn, true];
    if (!isAgain) return this.#newStep(false);
    this.#forgetCalls(turn);
    return this.#version < 7 ? [{ type: 'start-step' }] : [{ type: 'reset-step' }];
  }

  #forgetCalls(turn: number | undefined): void {
    for (const key of this.#calls.keys())
      if (key.startsWith(`${this.#root} ${turn}.`)) this.#calls.delete(key);
  }

  #newStep(isBelow: boolean): readonly UiChunk[] {
    const before = this.#hasStep ? [{ type: 'finish-step' }] : [];
    this.#hasStep = true;
    this.#isStepBelow = isBelow;
    return [...before, { type: 'start-step' }];
  }

  #say({ type, turn, part, delta }: Of<'text' | 'reasoning'>): readonly UiChunk[] {
    const id = `${turn}.${part}`;
    const begin = this.#texts.has(part) ? [] : [{ type: `${type}-start`, id }];
    this.#texts.set(part, type);
    return [...begin, { type: `${type}-delta`, id, delta }];
  }

  #call(event: Of<'call-begin' | 'call-delta' | 'call'>): readonly UiChunk[] {
    const key = keyOf(event);
    if (event.type === 'call-begin') {
      const toolCallId = this.#idOf(event);
      this.#show(key, { toolCallId, name: event.name, args: {} });
      return [{ type: 'tool-input-start', toolCallId, toolName: event.name }];
    }
    const before = this.#calls.get(key);
    if (event.type === 'call-delta')
      return before === undefined
        ? []
        : [
            {
              type: 'tool-input-delta',
              toolCallId: before.toolCallId,
              inputTextDelta: event.delta,
            },
          ];
    const { name, args } = event.call;
    const toolCallId = before?.toolCallId ?? this.#idOf(event);
    this.#show(key, { toolCallId, name, args });
    return [inputChunk(toolCallId, event.call)];
  }

  #show(key: string, call: Pick<ShownCall, 'toolCallId' | 'name' | 'args'>): void {
    this.#calls.set(key, { ...call, isBelow: false, isShown: true });
  }

  #endStep({ turn, content, finishReason }: Of<'step-end'>): readonly UiChunk[] {
    this.#finishReason = finishReason;
    this.#isOpen = false;
    const ends = [...this.#texts].map(([part, kind]) => ({
      type: `${kind}-end`,
      id: `${turn}.${part}`,
    }));
    this.#texts = new Map();
    return [...ends, ...content.flatMap((part) => (part.type === 'media' ? fileChunk(part) : []))];
  }

  /** A message while the run works, in a step of its own: it voids a step without an end. The turn answers the first message. */
  #steer({ parts }: UserMessage): readonly UiChunk[] {
    this.#said += 1;
    if (this.#said === 1 || this.#version < 7) return [];
    const before = this.#isOpen ? [{ type: 'reset-step' }] : this.#newStep(false);
    if (this.#isOpen) this.#forgetCalls(this.#turn);
    [this.#turn, this.#isOpen] = [undefined, false];
    const texts = parts.flatMap((part) =>
      part.type === 'text' ? [{ type: 'text', text: part.text }] : [],
    );
    return [
      ...before,
      { type: 'steering-message', id: `${this.#root}:${this.#said}`, parts: texts },
    ];
  }

  #edit(event: Of<'call-edited'>): readonly UiChunk[] {
    const key = keyOf(event);
    const call = this.#calls.get(key);
    if (call === undefined) return [];
    const edited = changed(call, event.args);
    this.#calls.set(key, edited);
    return call.isShown ? [availableChunk(edited)] : [];
  }

  /** What was decided. A request that nobody watched is written with its answer. */
  #judge({ verdict, workflowId }: Of<'verdict'>): readonly UiChunk[] {
    const call = this.#calls.get(`${workflowId} ${placeIn(verdict.inputId)}`);
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
    return [...shown, ...request, ...(edited ? [edited] : []), ...this.#approving(response)];
  }

  #answer(event: Of<'result'>): readonly UiChunk[] {
    const key = keyOf(event);
    const call = this.#calls.get(key);
    if (call === undefined) return [];
    if (call.isBelow) this.#calls.delete(key);
    if (!call.isShown) return [];
    const { toolCallId } = call;
    const { result } = event;
    if (call.approval?.isRejected === true) {
      const approvalId = call.approval.inputId;
      const reason = errorText(result);
      return [
        ...this.#approving({ type: 'tool-approval-response', approvalId, approved: false, reason }),
        this.#version === 5
          ? { type: 'tool-output-error', toolCallId, errorText: reason }
          : { type: 'tool-output-denied', toolCallId },
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
    const call = this.#callOf(input);
    const shown = this.#showBelow(call);
    return kind === 'approval' ? [...shown, ...this.#request(call, { inputId, digest })] : shown;
  }

  /** The call that waits. An input without a call, such as that of a budget, is shown as if it were one. */
  #callOf({ inputId, kind, question, options, call, path }: PendingInput): ShownCall {
    const [machineId = ''] = inputId.split('@');
    const place = placeIn(machineId);
    for (const [key, known] of this.#calls)
      if (
        key.endsWith(` ${place}`) &&
        listedInputId(key.slice(0, key.lastIndexOf(' ')), machineId) === inputId
      )
        return known;
    const isOwn = inputId === listedInputId(this.#root, machineId);
    const asked = { question, ...(options && { options: [...options] }), path };
    const made = {
      toolCallId: inputId,
      name: call?.name ?? kind,
      args: call?.args ?? asked,
      isBelow: true,
      isShown: false,
    };
    this.#calls.set(`${isOwn ? this.#root : path} ${place}`, made);
    return made;
  }

  #showBelow(call: ShownCall): readonly UiChunk[] {
    if (call.isShown) return [];
    call.isShown = true;
    const step = this.#isStepBelow ? [] : this.#newStep(true);
    this.#turn = undefined;
    return [...step, availableChunk(call)];
  }

  #request(
    call: ShownCall,
    { inputId, digest }: { readonly inputId: string; readonly digest: string | undefined },
  ): readonly UiChunk[] {
    if (call.approval?.inputId === inputId) return [];
    call.approval = { inputId, isRejected: false };
    const { toolCallId } = call;
    const descriptor = digest === undefined ? {} : { approvalDescriptor: { digest } };
    return this.#approving({
      type: 'tool-approval-request',
      approvalId: inputId,
      toolCallId,
      ...descriptor,
    });
  }

  /** Version 5 knows no approvals, version 6 only requests for them. */
  #approving(chunk: UiChunk): readonly UiChunk[] {
    const first = chunk.type === 'tool-approval-request' ? 6 : 7;
    return this.#version < first ? [] : [chunk];
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
    const step = this.#hasStep ? [{ type: 'finish-step' }] : [];
    return [...step, { type: 'finish', finishReason: finishReasons[reason] }];
  }

  /** The first releases of older clients refuse members that they do not know. */
  #known(given: UiChunk): UiChunk {
    if (this.#version === 7) return given;
    const { approvalDescriptor: _, providerMetadata: _metadata, ...chunk } = given;
    if (chunk.type === 'abort') return { type: 'abort' };
    const isPlain = this.#version === 5 || chunk['finishReason'] === 'interrupted';
    return chunk.type === 'finish' && isPlain ? { type: 'finish' } : chunk;
  }

  #idOf(event: Of<'call-begin' | 'call'>): string {
    const { turn, index, callId } = event;
    const id = shownId(callIdOf(event), { place: `${turn}.${index}`, callId }, this.#had);
    this.#had.delete(id);
    return id;
  }
}

/** Whether a part of the client's message shows the call that waits for the input. `had`: the ids of all its calls. */
export function showsCall(
  { inputId, call }: PendingInput,
  toolCallId: string,
  had: ReadonlySet<string>,
): boolean {
  const [machineId = '', suffix = ''] = inputId.split('@');
  const place = placeIn(machineId);
  const id = shownId(`${place}@${suffix}`, { place, callId: call?.callId ?? '' }, had);
  return toolCallId === id || toolCallId === inputId;
}

/** Version 0.2.0 gave the provider's id, with the place if an earlier step had it. A page that is still open has these. */
function shownId(
  id: string,
  { place, callId }: { readonly place: string; readonly callId: string },
  had: ReadonlySet<string>,
): string {
  return [id, `${callId}~${place}`, callId].find((each) => had.has(each)) ?? id;
}

function callIdOf({ workflowId, turn, index }: Of<'call-begin' | 'call'>): string {
  return listedInputId(workflowId, `${turn}.${index}`);
}

function keyOf({
  workflowId,
  turn,
  index,
}: Pick<Of<'result'>, 'workflowId' | 'turn' | 'index'>): string {
  return `${workflowId} ${turn}.${index}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
