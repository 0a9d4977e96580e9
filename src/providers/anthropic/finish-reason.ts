import type { AssistantPart, FinishReason } from '../../protocol/message';

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  // Generation ran into the end of the context: what came until then is paid for and usable, as with `max_tokens`.
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
  // A server tool takes longer than one response may: the same content sent back goes on.
  pause_turn: 'pause',
};

/** A turn with calls ends for them unless it was cut or refused. Unknown reasons are `other`. */
export function fromStopReason(
  stopReason: string | null | undefined,
  content: readonly AssistantPart[],
): FinishReason {
  const reason = reasons[stopReason ?? ''] ?? 'other';
  const hasCalls = content.some((part) => part.type === 'tool_call');
  return hasCalls && ['stop', 'pause', 'other'].includes(reason) ? 'tool_calls' : reason;
}
