import { defined } from '../../base';
import { type AssistantPart, type FinishReason, type Origin, ProviderError } from '../../protocol';
import type { ModelResponse } from '../provider';
import { fromMessagesUsage, type StreamedMessage } from './message-accumulator';
import { asText, checkToolArguments, differenceOf, seal, sealedField, withoutNulls } from '../wire';
import { type MessageBlock, projectedBlock } from './blocks';

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  // The context is full. The answer so far is usable, as with `max_tokens`.
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
  // A server tool takes longer than one response may. The same content sent back continues.
  pause_turn: 'pause',
};

/** Converts a whole message. The explanation of a refusal becomes a part. */
export function fromMessage(
  message: StreamedMessage,
  origin: Origin,
  requestId: string | null | undefined,
): ModelResponse {
  const content = fromMessagesContent(message.content, origin);
  if (message.stopReason === 'model_context_window_exceeded' && content.length === 0) {
    throw new ProviderError(
      'context_length',
      `${origin.provider}/${origin.model}: the conversation fills the model's context window`,
      { provider: origin.provider },
    );
  }
  const ids = {
    ...defined({ message: message.id }),
    ...(!requestId ? {} : { request: requestId }),
  };
  return {
    content: [...content, ...refusal(message)],
    usage: fromMessagesUsage(message.usage),
    finishReason: fromStopReason(message.stopReason, content),
    origin,
    ...(Object.keys(ids).length === 0 ? {} : { ids }),
  };
}

function refusal({ stopReason, explanation }: StreamedMessage): AssistantPart[] {
  if (stopReason !== 'refusal') return [];
  return [{ type: 'refusal', text: explanation ?? 'no reason was given' }];
}

/** A turn with calls ends with `tool_calls`, unless it was cut or refused. Unknown reasons are `other`. */
function fromStopReason(
  stopReason: string | null | undefined,
  content: readonly AssistantPart[],
): FinishReason {
  const reason = reasons[stopReason ?? ''] ?? 'other';
  const hasCalls = content.some((part) => part.type === 'tool_call');
  return hasCalls && ['stop', 'pause', 'other'].includes(reason) ? 'tool_calls' : reason;
}

/**
 * Each block becomes one part, in order: the API refuses changed, merged or moved thinking blocks. The sealed data has the fields that a
 * part does not have (signature, redacted data, citations). Seals unknown blocks whole.
 */
export function fromMessagesContent(
  blocks: readonly MessageBlock[],
  origin: Origin,
): AssistantPart[] {
  return blocks.flatMap((block) => {
    const part = toPart(withoutNulls(block), origin);
    return part.type === 'text' && part.text === '' && part.sealed === undefined ? [] : [part];
  });
}

function toPart(block: MessageBlock, origin: Origin): AssistantPart {
  switch (block.type) {
    case 'text':
      return sealed({ type: 'text', text: asText(block['text']) }, block, origin);
    case 'thinking':
      return sealed({ type: 'reasoning', text: asText(block['thinking']) }, block, origin);
    case 'redacted_thinking':
      return sealed({ type: 'reasoning', text: '', redacted: true }, block, origin);
    case 'tool_use': {
      const call = { callId: asText(block['id']), name: asText(block['name']) };
      return sealed(
        { type: 'tool_call', ...call, ...checkToolArguments(block['input']) },
        block,
        origin,
      );
    }
    default:
      return { type: 'opaque', label: block.type, sealed: seal(origin, block) };
  }
}

function sealed(part: AssistantPart, block: MessageBlock, origin: Origin): AssistantPart {
  const projection = projectedBlock(part);
  if (projection === undefined) return part;
  const difference = differenceOf(block, projection);
  // Does not seal the call's own fields: they may change before the call goes back.
  const { id: _id, name: _name, input: _input, ...beyond } = difference;
  const data = part.type === 'tool_call' ? beyond : difference;
  return { ...part, ...sealedField(origin, data) };
}
