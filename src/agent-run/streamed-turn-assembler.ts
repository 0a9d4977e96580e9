/*
 * Puts one streamed turn together. It knows no provider and does no IO.
 *
 * 1. It checks a name as soon as it is known, so that a stream that cannot run can stop early. While an invalid call is open, it takes
 *    no other event.
 * 2. A completed reasoning block replaces its deltas, which have no signature.
 * 3. After a turn was abandoned, only the end of the stream matters, for its usage.
 */
import { type AssistantPart, LonghaulError, type ReasoningPart } from '../protocol';
import type { CallOutput } from './streamed-calls';
import { StreamedCalls } from './streamed-calls';
import type {
  AssemblerOutput,
  PartialTurn,
  StreamEvent,
  StreamedInvalidToolCall,
  StreamedResolution,
} from './streamed-turn';

/**
 * Turns the events of one stream into a model turn. Make one for each turn. It finds an invalid call as soon as the name arrives. Read
 * the stream of an abandoned turn to its end, because its usage comes last. Record the usage once for each call, then report the turn.
 *
 * @example
 * const tools = ['get_weather'];
 * const assembler = new StreamedTurnAssembler({ allowed: tools });
 * let abandoned = false;
 * for await (const event of events) {
 *   for (const output of assembler.push(event)) {
 *     if (output.kind === 'forward') show(output.event);
 *     if (output.kind === 'completed') run.recordStreamedCompletionCall(output.head);
 *     if (output.kind !== 'invalid-tool-call') continue;
 *     const partial = { ...assembler.partialTurn(), tools };
 *     const feedback = 'There is no such tool.';
 *     const action = { kind: 'retry', feedback } as const;
 *     const resolution = run.resolveStreamedInvalidToolCall(partial, output.invalid, action);
 *     abandoned ||= resolution.kind === 'abandoned';
 *     for (const held of assembler.resolve(resolution)) if (held.kind === 'forward') show(held.event);
 *   }
 * }
 * const head = run.completionCalls.at(-1);
 * if (!abandoned && head) run.streamedTurn({ content: assembler.finish(), usage: head.usage, tools });
 */
export class StreamedTurnAssembler {
  readonly #calls: StreamedCalls;
  readonly #reasoning = new Map<string, ReasoningPart>();
  readonly #completed = new Set<string>();
  #text = '';
  #open: StreamedInvalidToolCall | undefined;
  #abandoned = false;

  constructor(options: { readonly allowed: readonly string[] }) {
    this.#calls = new StreamedCalls(options.allowed);
  }

  /** Takes an event. Throws a `ProtocolError` while an invalid call waits for `resolve`. */
  push(event: StreamEvent): AssemblerOutput[] {
    if (this.#open)
      throw new LonghaulError(
        'ProtocolError',
        `The call of "${this.#open.name}" is not allowed. Call resolve before you push the next event.`,
      );
    if (event.type === 'finish') return [{ kind: 'completed', head: event.head }];
    if (this.#abandoned) return [];
    switch (event.type) {
      case 'text':
        this.#text += event.delta;
        return [{ kind: 'forward', event }];
      case 'reasoning':
        this.#addReasoning(event);
        return [{ kind: 'forward', event }];
      case 'reasoning-done':
        this.#reasoning.set(event.key, event.part);
        this.#completed.add(event.key);
        return [{ kind: 'forward', event }];
      case 'tool-call-delta':
        return this.#output(this.#calls.addDelta(event));
      case 'tool-call':
        return this.#output(this.#calls.addWhole(event.key, event.call));
    }
  }

  /** Takes the run's decision about the invalid call. For a repaired call, returns the events that were held back, under the new name. */
  resolve(resolution: StreamedResolution): AssemblerOutput[] {
    const open = this.#open;
    if (!open)
      throw new LonghaulError('ProtocolError', 'This stream has no invalid tool call to resolve.');
    if (resolution.kind === 'repaired' && !this.#calls.allows(resolution.name))
      throw new LonghaulError(
        'ProtocolError',
        `The name "${resolution.name}" is not allowed in this turn either.`,
      );
    this.#open = undefined;
    if (resolution.kind === 'repaired')
      return this.#output({
        kind: 'deltas',
        deltas: this.#calls.repair(open.key, resolution.name),
      });
    this.#calls.ignore(open.key);
    if (resolution.kind === 'abandoned') this.#abandoned = true;
    return [];
  }

  /** The turn so far, without an open invalid call. */
  partialTurn(): PartialTurn {
    return { content: this.#content(this.#calls.complete) };
  }

  /** The content of the whole turn: reasoning, then text, then calls. */
  finish(): AssistantPart[] {
    if (this.#open || this.#abandoned)
      throw new LonghaulError(
        'ProtocolError',
        'A turn that was abandoned, or has an invalid tool call to resolve, has no content.',
      );
    return this.#content(this.#calls.finish());
  }

  #addReasoning({ key, delta }: { readonly key: string; readonly delta: string }): void {
    if (this.#completed.has(key)) return;
    const text = (this.#reasoning.get(key)?.text ?? '') + delta;
    this.#reasoning.set(key, { type: 'reasoning', text });
  }

  #content(calls: readonly AssistantPart[]): AssistantPart[] {
    const reasoning = [...this.#reasoning.values()];
    const text: AssistantPart[] = this.#text === '' ? [] : [{ type: 'text', text: this.#text }];
    return [...reasoning, ...text, ...calls];
  }

  #output(output: CallOutput): AssemblerOutput[] {
    if (output.kind === 'deltas') return output.deltas.map((event) => ({ kind: 'forward', event }));
    this.#open = output.invalid;
    return [{ kind: 'invalid-tool-call', invalid: output.invalid }];
  }
}
