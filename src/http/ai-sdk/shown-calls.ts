// The calls of one message, by their run and place. The id of a call in the message names both, because providers may give the same id in
// each turn of a chat.

import type { JsonObject } from '../../base';
import type { StreamEvent } from '../../core/stream/events';
import { listedInputId, placeIn } from '../../core/people/input-ids';
import type { PendingInput } from '../../protocol';
import type { ShownInput } from './chunks';

type CallEvent = Extract<StreamEvent, { readonly type: 'call-begin' | 'call' }>;

type Place = Pick<CallEvent, 'workflowId' | 'turn' | 'index'>;

/** A part of the message that shows a call. */
export type ShownCall = ShownInput & {
  isShown: boolean;
  approval?: { readonly inputId: string; isRejected: boolean };
};

export class ShownCalls {
  readonly #root: string;
  readonly #calls = new Map<string, ShownCall>();
  /** Ids of calls in the message that the client has. */
  readonly #had: Set<string>;

  constructor(root: string, had: Iterable<string>) {
    this.#root = root;
    this.#had = new Set(had);
  }

  at(place: Place): ShownCall | undefined {
    return this.#calls.get(keyOf(place));
  }

  /** The call that a verdict is about. */
  judged(workflowId: string, inputId: string): ShownCall | undefined {
    return this.#calls.get(`${workflowId} ${placeIn(inputId)}`);
  }

  /** A call of the message's own run. It is in the message from its beginning. */
  show(event: CallEvent, name: string, args: JsonObject | null): ShownCall {
    const toolCallId = this.at(event)?.toolCallId ?? this.#idOf(event);
    return this.#set(keyOf(event), { toolCallId, name, args, isBelow: false, isShown: true });
  }

  /** A call of a run below. It comes into the message when people decide about it. */
  keep(event: Extract<CallEvent, { readonly type: 'call' }>): void {
    const { name, args } = event.call;
    const toolCallId = callIdOf(event);
    this.#set(keyOf(event), { toolCallId, name, args, isBelow: true, isShown: false });
  }

  replace(place: Place, call: ShownCall): void {
    this.#set(keyOf(place), call);
  }

  delete(place: Place): void {
    this.#calls.delete(keyOf(place));
  }

  /** Forgets the calls of an attempt that counts no more. */
  forget(turn: number): void {
    for (const key of this.#calls.keys())
      if (key.startsWith(`${this.#root} ${turn}.`)) this.#calls.delete(key);
  }

  /** The call that waits. An input without a call, such as that of a budget, is shown as if it were one. */
  waiting({ inputId, kind, question, options, call, path }: PendingInput): ShownCall {
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
    return this.#set(`${isOwn ? this.#root : path} ${place}`, {
      toolCallId: inputId,
      name: call?.name ?? kind,
      args: call?.args ?? asked,
      isBelow: true,
      isShown: false,
    });
  }

  #set(key: string, call: ShownCall): ShownCall {
    this.#calls.set(key, call);
    return call;
  }

  #idOf(event: CallEvent): string {
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

function callIdOf({ workflowId, turn, index }: Place): string {
  return listedInputId(workflowId, `${turn}.${index}`);
}

function keyOf({ workflowId, turn, index }: Place): string {
  return `${workflowId} ${turn}.${index}`;
}
