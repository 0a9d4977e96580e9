// Calls that begin while the model still writes the turn. A call begins as soon as the stream has all of it.

import { AsyncResource } from 'node:async_hooks';
import { toCallPart } from '../../agent-run/index';
import { sameJson } from '../../core/session';
import type { ToolCallPart } from '../../protocol';
import type { ModelDelta } from '../../providers';

/** A call that has begun. */
type Begun = {
  readonly part: ToolCallPart;
  readonly isRunning: () => boolean;
  readonly stop: () => void;
};

export class EarlyCalls<Call extends Begun> {
  readonly #streamed = new Map<number, { callId: string; name: string; argsText: string }>();
  readonly #begun = new Map<number, Call>();
  readonly #begin: (part: ToolCallPart, index: number) => Call | undefined;

  /** `begin` begins a call, or does nothing if the call has to wait for the whole turn. */
  constructor(begin: (part: ToolCallPart, index: number) => Call | undefined) {
    // A provider may call back from anywhere, but a tool's code needs the context of its activity.
    this.#begin = AsyncResource.bind(begin);
  }

  see(delta: ModelDelta): void {
    if (delta.kind !== 'tool-call' || this.#begun.has(delta.index)) return;
    const { index, callId = '', name = '', args = '', complete } = delta;
    const before = this.#streamed.get(index) ?? { callId: '', name: '', argsText: '' };
    const call = {
      callId: before.callId || callId,
      name: before.name || name,
      argsText: before.argsText + args,
    };
    this.#streamed.set(index, call);
    if (complete !== true) return;
    const begun = this.#begin(toCallPart(call), index);
    if (begun !== undefined) this.#begun.set(index, begun);
  }

  /** How many calls are running. */
  get running(): number {
    return [...this.#begun.values()].filter((call) => call.isRunning()).length;
  }

  /** The call at this place of the turn, if it has begun. Stops it if the turn has another call there. */
  take(index: number, { callId, name, args }: ToolCallPart): Call | undefined {
    const begun = this.#begun.get(index);
    if (begun === undefined) return undefined;
    const { part } = begun;
    if (part.callId === callId && part.name === name && sameJson(part.args, args)) return begun;
    begun.stop();
    return undefined;
  }
}
