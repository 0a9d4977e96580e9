import type { AssistantMessage, Message, ToolCallPart, ToolResult } from '../../protocol/message';
import { idPatterns } from '../../protocol/names';

/** What a call is named in a request when the model gave it a name that no provider takes back. */
const invalidName = 'invalid_name';

/** An id in the log, and the one its call has in a request. */
type SentId = { readonly callId: string; readonly id: string };

/**
 * The messages with calls that every provider takes back. Providers refuse a whole request for one call whose name is not a tool
 * name, or whose id stands there twice; models and gateways write both. The log keeps what they wrote, and the error result of such
 * a call says which name it was. A call depends on those before it only, so the requests of later turns begin with the same bytes.
 */
export function sendableCalls(messages: readonly Message[]): readonly Message[] {
  const used = new Set<string>();
  let open: SentId[] = [];
  return messages.map((message) => {
    if (message.role === 'assistant') {
      const turn = sendableTurn(message, used);
      open = turn.ids;
      return turn.message;
    }
    if (message.role !== 'tool') return message;
    return { ...message, parts: message.parts.map((result) => sendableResult(result, open)) };
  });
}

function sendableTurn(
  message: AssistantMessage,
  used: Set<string>,
): { readonly message: AssistantMessage; readonly ids: SentId[] } {
  const ids: SentId[] = [];
  const parts = message.parts.map((part) => {
    if (part.type !== 'tool_call') return part;
    const id = unusedId(part.callId, used);
    used.add(id);
    ids.push({ callId: part.callId, id });
    return sendable(part, id);
  });
  return { message: { ...message, parts }, ids };
}

/** The results of a turn come in the order of its calls: of two with one id, the first result is the first call's. */
function sendableResult(result: ToolResult, open: SentId[]): ToolResult {
  const index = open.findIndex(({ callId }) => callId === result.callId);
  const [call] = index === -1 ? [] : open.splice(index, 1);
  return sendable(result, call?.id ?? result.callId);
}

function sendable<Part extends ToolCallPart | ToolResult>(part: Part, callId: string): Part {
  return { ...part, callId, name: idPatterns.tool.test(part.name) ? part.name : invalidName };
}

function unusedId(callId: string, used: ReadonlySet<string>): string {
  let id = callId;
  for (let copy = 2; used.has(id); copy += 1) id = `${callId}_${copy}`;
  return id;
}
