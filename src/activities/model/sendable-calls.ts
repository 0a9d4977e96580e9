import { CallIds } from '../../base/call-ids';
import type { AssistantMessage, Message, ToolCallPart, ToolResult } from '../../protocol/message';
import { idPatterns } from '../../protocol/names';

/** What a call is named in a request when the model gave it a name that no provider takes back. */
const invalidName = 'invalid_name';

/**
 * The messages with calls that every provider takes back. Providers refuse a whole request for one call whose name is not a tool
 * name, or whose id stands there twice; models and gateways write both. The log keeps what they wrote, and the error result of such
 * a call says which name it was. A call depends on those before it only, so the requests of later turns begin with the same bytes.
 */
export function sendableCalls(messages: readonly Message[]): readonly Message[] {
  const ids = new CallIds();
  return messages.map((message) => {
    if (message.role === 'assistant') return sendableTurn(message, ids);
    if (message.role !== 'tool') return message;
    const parts = message.parts.map((result) => sendable(result, ids.result(result.callId)));
    return { ...message, parts };
  });
}

function sendableTurn(message: AssistantMessage, ids: CallIds): AssistantMessage {
  ids.startTurn();
  const parts = message.parts.map((part) =>
    part.type === 'tool_call' ? sendable(part, ids.unused(part.callId)) : part,
  );
  return { ...message, parts };
}

function sendable<Part extends ToolCallPart | ToolResult>(part: Part, callId: string): Part {
  return { ...part, callId, name: idPatterns.tool.test(part.name) ? part.name : invalidName };
}
