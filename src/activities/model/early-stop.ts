// Reads along while a turn streams. Once a name shows that nothing of the turn will run, no more of it is paid for.
//
// 1. Only a turn that nobody can save is cut: see `earlyStopOf`.
// 2. A cut turn is a turn like any other; the machine finds its invalid call by itself.

import {
  toCallPart,
  type StreamEvent,
  type StreamedInvalidToolCall,
} from '../../agent-run/streamed-turn';
import { StreamedTurnAssembler } from '../../agent-run/streamed-turn-assembler';
import { emptyUsage } from '../../core/budget/usage';
import type { Origin } from '../../protocol/message';
import type { AgentSpec } from '../../protocol/spec';
import type { ModelDelta, ModelResponse } from '../../providers/provider';
import { StreamCut } from '../../providers/stream-cut';
import type { CallbackChain } from '../callbacks';
import { turnNames } from './invalid-calls';

/** Undefined where a callback may still save a turn with an invalid call, or the agent ignores such calls. */
export function earlyStopOf(
  spec: AgentSpec,
  chain: CallbackChain | undefined,
): EarlyStop | undefined {
  if (spec.onInvalidToolCall === 'ignore') return undefined;
  if (chain?.has('onInvalidToolCall') || chain?.has('afterModelCall')) return undefined;
  return new EarlyStop(turnNames(spec).allowed);
}

export class EarlyStop {
  readonly #assembler: StreamedTurnAssembler;
  readonly #cut = new AbortController();
  #invalid: StreamedInvalidToolCall | undefined;

  constructor(allowed: readonly string[]) {
    this.#assembler = new StreamedTurnAssembler({ allowed });
  }

  /** Aborts when nothing of the turn can run. */
  get signal(): AbortSignal {
    return this.#cut.signal;
  }

  get isCut(): boolean {
    return this.#invalid !== undefined;
  }

  see(delta: ModelDelta): void {
    if (this.isCut) return;
    const refused = this.#assembler
      .push(toStreamEvent(delta))
      .find((output) => output.kind === 'invalid-tool-call');
    if (refused === undefined) return;
    this.#invalid = refused.invalid;
    this.#cut.abort(
      new StreamCut(`the model called '${refused.invalid.name}', which is not allowed`),
    );
  }

  /** The turn as its deltas told it, for a provider that does not say itself what had come until the cut. */
  cutTurn(origin: Origin): ModelResponse | undefined {
    if (this.#invalid === undefined) return undefined;
    const content = [...this.#assembler.partialTurn().content, toCallPart(this.#invalid)];
    return { content, usage: emptyUsage, finishReason: 'tool_calls', origin };
  }
}

function toStreamEvent(delta: ModelDelta): StreamEvent {
  switch (delta.kind) {
    case 'text':
      return { type: 'text', delta: delta.text };
    case 'reasoning':
      return { type: 'reasoning', key: 'reasoning', delta: delta.text };
    case 'tool-call': {
      const { index, callId, name, args } = delta;
      return {
        type: 'tool-call-delta',
        key: String(index),
        ...(callId !== undefined && { callId }),
        ...(name !== undefined && { name }),
        ...(args !== undefined && { argsDelta: args }),
      };
    }
  }
}
