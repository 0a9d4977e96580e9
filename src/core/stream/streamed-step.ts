// The part of one step that a stream has brought so far. It keeps each text once, not once for each delta.

import { madeCallId } from '../machine/working-turn';
import type { ModelDelta } from '../../protocol/live';
import type { LogHappening } from './events';

/** A part of a step as it streamed. */
export type StreamedPart =
  | { readonly type: 'text' | 'reasoning'; text: string }
  | {
      readonly type: 'call';
      readonly index: number;
      /** Empty until the step is shown, if the provider gives none. */
      callId: string;
      readonly name: string;
      /** The arguments. */
      text: string;
    };

type CallDelta = Extract<ModelDelta, { kind: 'tool-call' }>;

/** One attempt at a step. It takes deltas before anybody may see them, too. */
export class StreamedStep {
  readonly turn: number;
  readonly attempt: number;
  readonly #parts: StreamedPart[] = [];
  /** Calls that have no name yet. */
  readonly #unnamed = new Map<number, CallDelta>();
  /** How many messages come before the turn. Undefined while the step is not shown. */
  #position: number | undefined;

  constructor({ turn, attempt }: { readonly turn: number; readonly attempt: number }) {
    this.turn = turn;
    this.attempt = attempt;
  }

  get isShown(): boolean {
    return this.#position !== undefined;
  }

  get parts(): readonly StreamedPart[] {
    return this.#parts;
  }

  /** Returns the events of the step from its beginning. `position`: how many messages come before the turn. */
  show(position: number): LogHappening[] {
    this.#position = position;
    for (const part of this.#parts)
      if (part.type === 'call') part.callId ||= madeCallId(position, part.index);
    const { turn, attempt } = this;
    return [
      { type: 'step-begin', turn, attempt },
      ...this.#parts.flatMap((part, place) => partEvents(turn, place, part)),
    ];
  }

  hide(): void {
    this.#position = undefined;
  }

  /** Takes a delta. Returns its events if the step is shown. */
  add(delta: ModelDelta): LogHappening[] {
    const events =
      delta.kind === 'tool-call' ? this.#addCall(delta) : this.#addText(delta.kind, delta.text);
    return this.isShown ? events : [];
  }

  #addText(type: 'text' | 'reasoning', text: string): LogHappening[] {
    if (text === '') return [];
    const last = this.#parts.at(-1);
    if (last?.type !== type) return this.#begin({ type, text });
    last.text += text;
    return [{ type, turn: this.turn, part: this.#parts.length - 1, delta: text }];
  }

  #addCall(delta: CallDelta): LogHappening[] {
    const { index, args = '' } = delta;
    const place = this.#parts.findIndex((part) => part.type === 'call' && part.index === index);
    const part = this.#parts[place];
    if (part?.type === 'call') {
      part.text += args;
      return argumentEvents(this.turn, place, { ...part, text: args });
    }
    const call = joined(this.#unnamed.get(index), delta);
    this.#unnamed.set(index, call);
    const made = this.#position === undefined ? '' : madeCallId(this.#position, index);
    const { name, callId = made } = call;
    if (name === undefined) return [];
    this.#unnamed.delete(index);
    return this.#begin({ type: 'call', index, callId, name, text: call.args ?? '' });
  }

  #begin(part: StreamedPart): LogHappening[] {
    this.#parts.push(part);
    return partEvents(this.turn, this.#parts.length - 1, part);
  }
}

/** The events of a part, from its beginning. */
export function partEvents(turn: number, part: number, said: StreamedPart): LogHappening[] {
  if (said.type !== 'call') return [{ type: said.type, turn, part, delta: said.text }];
  const { index, callId, name } = said;
  return [
    { type: 'call-begin', turn, part, index, callId, name },
    ...argumentEvents(turn, part, said),
  ];
}

function argumentEvents(
  turn: number,
  part: number,
  { index, callId, text }: Extract<StreamedPart, { type: 'call' }>,
): LogHappening[] {
  return text === '' ? [] : [{ type: 'call-delta', turn, part, index, callId, delta: text }];
}

function joined(earlier: CallDelta | undefined, later: CallDelta): CallDelta {
  return { ...earlier, ...later, args: (earlier?.args ?? '') + (later.args ?? '') };
}
