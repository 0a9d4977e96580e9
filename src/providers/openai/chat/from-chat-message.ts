import type { JsonObject } from '../../../base/json';
import type { AssistantPart, Origin, ToolCallPart } from '../../../protocol/message';
import { seal, sealedField } from '../../seal';
import { parseToolArguments } from '../../tool-arguments';
import { argumentsSeal } from '../call-arguments';

/** A whole assistant message: what a stream adds up to. */
export type ChatMessage = {
  readonly content: string;
  readonly refusal: string;
  readonly toolCalls: readonly ChatToolCall[];
  /** Everything the API's own type does not have: reasoning of compatible servers, gateways' additions. */
  readonly fields: JsonObject;
};

export type ChatToolCall = {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** What a server adds to a call, such as a thought signature. */
  readonly fields: JsonObject;
};

export const reasoningFields = ['reasoning_content', 'reasoning'] as const;

/** Reasoning, then text, then calls, as one message holds them. `firstCall` numbers calls without an id. */
export function fromChatMessage(
  message: ChatMessage,
  origin: Origin,
  firstCall: number,
): AssistantPart[] {
  const { content, refusal, toolCalls } = message;
  return [
    ...fieldParts(message.fields, origin),
    ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
    ...(refusal === '' ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...toolCalls.map((call, index) => fromToolCall(call, origin, `call_${firstCall + index}`)),
  ];
}

/** A call without what its server adds to it: also what a call of another provider becomes. */
export function toolCallBlock(
  call: Pick<ToolCallPart, 'callId' | 'name'>,
  argumentsText: string,
): JsonObject {
  return {
    id: call.callId,
    type: 'function',
    function: { name: call.name, arguments: argumentsText },
  };
}

/** The first reasoning field is shown; a second one, which repeats it, and all others are kept beside it. */
function fieldParts(fields: JsonObject, origin: Origin): AssistantPart[] {
  for (const field of reasoningFields) {
    const { [field]: text, ...others } = fields;
    if (typeof text !== 'string' || text === '') continue;
    const shown: AssistantPart = { type: 'reasoning', text, sealed: seal(origin, { field }) };
    return [shown, ...opaqueFields(others, origin)];
  }
  return opaqueFields(fields, origin);
}

function opaqueFields(fields: JsonObject, origin: Origin): AssistantPart[] {
  if (Object.keys(fields).length === 0) return [];
  return [{ type: 'opaque', label: 'message fields', sealed: seal(origin, fields) }];
}

function fromToolCall(call: ChatToolCall, origin: Origin, fallbackId: string): ToolCallPart {
  const text = call.arguments.trim() === '' ? '{}' : call.arguments;
  const parsed = parseToolArguments(text);
  const data = { ...call.fields, ...argumentsSeal(text, parsed) };
  const callId = call.id === '' ? fallbackId : call.id;
  return { type: 'tool_call', callId, name: call.name, ...parsed, ...sealedField(origin, data) };
}
