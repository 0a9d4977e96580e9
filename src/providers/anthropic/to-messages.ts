import type {
  ContentBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { CallIds, isJsonObject } from '../../base';
import type { AssistantMessage, AssistantPart, Message, UserMessage } from '../../protocol';
import { mediaAfterResults, withDifference } from '../wire';
import {
  anthropicApi,
  isTaken,
  mediaBlock,
  type MessageBlock,
  projectedBlock,
  textBlocks,
  toolResultBlock,
} from './blocks';

export type WireMessage = {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
};

/**
 * Joins adjacent messages of one role, as the API itself does. In a user message the results of a turn come first, then text. System
 * messages are in another member of the request.
 */
export function toMessages(messages: readonly Message[]): WireMessage[] {
  const ids = new CallIds();
  const wire: WireMessage[] = [];
  for (const message of messages) {
    const content = toContent(message, ids);
    if (content.length === 0) continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...content);
    else wire.push({ role, content });
  }
  return wire;
}

function toContent(message: Message, ids: CallIds): ContentBlockParam[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return userBlocks(message.parts);
    case 'assistant':
      ids.startTurn();
      return message.origin?.api === anthropicApi
        ? ownTurn(message, ids)
        : foreignTurn(message, ids);
    case 'tool':
      return [
        ...message.parts.map((result) => toolResultBlock(result, ids.result(result.callId))),
        ...userBlocks(
          mediaAfterResults(message.parts, (media, { isError }) => isError && isTaken(media)),
        ),
      ];
  }
}

function userBlocks(parts: UserMessage['parts']): ContentBlockParam[] {
  return parts.flatMap((part): ContentBlockParam[] =>
    part.type === 'text' ? textBlocks(part.text) : [mediaBlock(part)],
  );
}

/** The blocks this API once gave, each with its sealed fields. */
function ownTurn(message: AssistantMessage, ids: CallIds): ContentBlockParam[] {
  return message.parts.flatMap((part): ContentBlockParam[] => {
    const projection = projectedBlock(part);
    if (projection === undefined) return [];
    const block = withDifference(projection, sealedHere(part)) as MessageBlock;
    return isAcceptable(block) ? [addressed(block, (id) => ids.asIs(id))] : [];
  });
}

/** A turn of another API: its texts and its calls. */
function foreignTurn(message: AssistantMessage, ids: CallIds): ContentBlockParam[] {
  return message.parts.flatMap((part): ContentBlockParam[] => {
    if (part.type === 'text' || part.type === 'refusal') return textBlocks(part.text);
    if (part.type !== 'tool_call') return [];
    const block = projectedBlock(part);
    return block === undefined ? [] : [addressed(block, (id) => ids.unused(id, acceptedId(id)))];
  });
}

/** This API refuses some characters that other APIs put into ids. */
const acceptedId = (callId: string): string => callId.replace(/[^A-Za-z0-9_-]/g, '_') || 'call';

function sealedHere({ sealed }: AssistantPart): MessageBlock | Record<string, never> {
  return sealed?.api === anthropicApi && isJsonObject(sealed.data)
    ? (sealed.data as MessageBlock)
    : {};
}

/** The API refuses blank text, even if a model wrote it. It also refuses thinking without the proof that a model wrote it. */
function isAcceptable(block: MessageBlock): boolean {
  switch (block.type) {
    case 'text':
      return typeof block['text'] === 'string' && block['text'].trim() !== '';
    case 'thinking':
      return 'signature' in block;
    case 'redacted_thinking':
      return 'data' in block;
    default:
      return true;
  }
}

function addressed(block: MessageBlock, idOf: (callId: string) => string): ContentBlockParam {
  const wire = block as unknown as ContentBlockParam;
  return wire.type === 'tool_use'
    ? ({ ...wire, id: idOf(wire.id) } satisfies ToolUseBlockParam)
    : wire;
}
