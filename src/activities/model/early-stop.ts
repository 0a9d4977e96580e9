// Ends a stream early when the turn cannot run: the model called a tool that is not allowed.

import {
  type StreamedInvalidToolCall,
  StreamedTurnAssembler,
  type StreamEvent,
  toCallPart,
} from '../../agent-run/index';
import { defined } from '../../base';
import { emptyUsage } from '../../core/budget/usage';
import type { AgentSpec, Origin } from '../../protocol';
import { type ModelDelta, type ModelResponse, StreamCut } from '../../providers';
import type { CallbackChain } from '../callbacks';
import { turnNames } from './model-callbacks';

/** Undefined if a callback may still save a turn with an invalid call, or if the agent ignores such calls. */
export function earlyStopOf(
  spec: AgentSpec,
  chain: CallbackChain | undefined,
): EarlyStop | undefined {
  if (spec.onInvalidToolCall === 'ignore') return undefined;
  if (chain?.has('onInvalidToolCall') || chain?.has('afterModelCall')) return undefined;
  return new EarlyStop(turnNames(spec).allowed);
}

/** Cuts a stream when a tool name shows that no call of the turn will run. The machine finds the invalid call of a cut turn by itself. */
export class EarlyStop {
  readonly #assembler: StreamedTurnAssembler;
  readonly #cut = new AbortController();
  #invalid: StreamedInvalidToolCall | undefined;

  constructor(allowed: readonly string[]) {
    this.#assembler = new StreamedTurnAssembler({ allowed });
  }

  /** Aborts when no call of the turn can run. */
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

  /** The turn, made from its deltas. For a provider that does not return what arrived before the cut. */
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
        ...defined({ callId, name, argsDelta: args }),
      };
    }
  }
}
