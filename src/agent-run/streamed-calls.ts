/*
 * The tool calls of one streamed turn, by key, in order of appearance. They know only the allowed names.
 *
 * C1. A call forwards nothing before its name is accepted. Then it forwards what it held back, under that name.
 * C2. An ignored call never shows up again, even if more of it comes in.
 */
import { ProviderError, type ToolCallPart } from '../protocol';
import type { StreamedInvalidToolCall, ToolCallDelta } from './streamed-turn';
import { toCallPart } from './streamed-turn';
import { argumentsText } from '../core/machine/working-turn';

type OpenStreamedCall = {
  readonly callId: string;
  readonly argsText: string;
  /** The accepted name; unset until then. */
  readonly name?: string;
  readonly repaired?: boolean;
  readonly ignored?: boolean;
  /** The whole call. It replaces the deltas. */
  readonly whole?: ToolCallPart;
  readonly held: readonly ToolCallDelta[];
};

/** What follows from a delta or a whole call. */
export type CallOutput =
  | { readonly kind: 'deltas'; readonly deltas: readonly ToolCallDelta[] }
  | { readonly kind: 'invalid'; readonly invalid: StreamedInvalidToolCall };

const newCall: OpenStreamedCall = { callId: '', argsText: '', held: [] };
const nothing: CallOutput = { kind: 'deltas', deltas: [] };

export class StreamedCalls {
  readonly #allowed: ReadonlySet<string>;
  readonly #calls = new Map<string, OpenStreamedCall>();

  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed);
  }

  allows(name: string): boolean {
    return this.#allowed.has(name);
  }

  addDelta(delta: ToolCallDelta): CallOutput {
    const call = this.#calls.get(delta.key) ?? newCall;
    if (call.ignored) return nothing;
    const grown = {
      ...call,
      callId: call.callId || (delta.callId ?? ''),
      argsText: call.argsText + (delta.argsDelta ?? ''),
    };
    if (call.name !== undefined) {
      this.#calls.set(delta.key, grown);
      return { kind: 'deltas', deltas: [call.repaired ? renamed(delta, call.name) : delta] };
    }
    this.#calls.set(delta.key, { ...grown, held: [...call.held, delta] });
    if (!delta.name) return nothing;
    return this.allows(delta.name)
      ? { kind: 'deltas', deltas: this.#accept(delta.key, { name: delta.name }) }
      : this.#refuse(delta.key, delta.name);
  }

  addWhole(key: string, whole: ToolCallPart): CallOutput {
    const call = this.#calls.get(key) ?? newCall;
    if (call.ignored) return nothing;
    const named = call.repaired && call.name ? { ...whole, name: call.name } : whole;
    this.#calls.set(key, {
      ...call,
      callId: whole.callId,
      argsText: argumentsText(whole),
      whole: named,
    });
    if (!this.allows(named.name)) return this.#refuse(key, whole.name);
    this.#calls.set(key, { ...call, name: named.name, whole: named, held: [] });
    return nothing;
  }

  repair(key: string, name: string): readonly ToolCallDelta[] {
    return this.#accept(key, { name, repaired: true });
  }

  ignore(key: string): void {
    this.#calls.set(key, { ...newCall, ignored: true });
  }

  /** Only calls that are whole or already have complete arguments. */
  get complete(): ToolCallPart[] {
    return this.#named
      .filter(({ whole, part }) => whole || part.args !== null)
      .map(({ part }) => part);
  }

  /** All calls of a finished stream. */
  finish(): ToolCallPart[] {
    for (const [key, call] of this.#calls)
      if (!call.ignored && call.name === undefined)
        throw new ProviderError(
          'bad_response',
          `The stream ended before the tool call "${call.callId || key}" had a name.`,
        );
    return this.#named.map(({ part }) => part);
  }

  get #named(): { readonly part: ToolCallPart; readonly whole: boolean }[] {
    return [...this.#calls.values()].flatMap(({ name, whole, callId, argsText }) => {
      if (name === undefined) return [];
      const part = whole ?? toCallPart({ callId, name, argsText });
      return [{ part, whole: whole !== undefined }];
    });
  }

  #accept(key: string, as: { name: string; repaired?: true }): ToolCallDelta[] {
    const call = this.#calls.get(key) ?? newCall;
    const whole = call.whole && { whole: { ...call.whole, name: as.name } };
    this.#calls.set(key, { ...call, ...as, ...whole, held: [] });
    return call.held.map((delta) => renamed(delta, as.name));
  }

  #refuse(key: string, name: string): CallOutput {
    const { callId, argsText } = this.#calls.get(key) ?? newCall;
    return { kind: 'invalid', invalid: { key, callId, name, argsText } };
  }
}

const renamed = (delta: ToolCallDelta, name: string): ToolCallDelta => ({ ...delta, name });
