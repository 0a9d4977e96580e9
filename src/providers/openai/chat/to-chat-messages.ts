import { textOfParts } from '../../../base/text';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions/completions';
import type { JsonObject } from '../../../base/json';
import type {
  AssistantMessage,
  AssistantPart,
  Message,
  ToolCallPart,
} from '../../../protocol/message';
import { withDifference } from '../../seal';
import { toolResultText } from '../../text';
import { chatApi, openParts, type OpenPart } from '../api';
import { argumentsText } from '../call-arguments';
import { toChatUserContent } from './chat-media';
import { toolCallBlock } from './from-chat-message';

/** Each message becomes the same messages whatever follows it, so those of a turn are a prefix of the next one's. */
export function toChatMessages(
  messages: readonly Message[],
  ownHost: boolean,
): ChatCompletionMessageParam[] {
  return messages.flatMap((message): ChatCompletionMessageParam[] => {
    switch (message.role) {
      case 'system':
        return [{ role: 'system', content: textOfParts(message.parts) }];
      case 'user':
        return [{ role: 'user', content: toChatUserContent(message.parts) }];
      case 'assistant':
        return [assistantMessage(message, ownHost) as unknown as ChatCompletionMessageParam];
      case 'tool':
        return message.parts.map((result) => ({
          role: 'tool',
          tool_call_id: result.callId,
          content: toolResultText(result, { errorFlag: false }),
        }));
    }
  });
}

/** The text and the calls in their own fields; reasoning and unknown fields only where they came from this api. */
function assistantMessage(message: AssistantMessage, ownHost: boolean): JsonObject {
  const parts = openParts(message, chatApi);
  const text = parts.map(({ part }) => textOf(part)).join('');
  const refusal = parts.map(({ part }) => (part.type === 'refusal' ? part.text : '')).join('');
  const calls = parts.flatMap(({ part, sealed }) =>
    part.type === 'tool_call' ? [toToolCall(part, sealed ?? {}, ownHost)] : [],
  );
  return {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    ...(refusal === '' ? {} : { refusal }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...Object.fromEntries(parts.flatMap((open) => Object.entries(messageFields(open)))),
  };
}

function textOf(part: AssistantPart): string {
  if (part.type === 'media') return `[${part.mediaType}]`;
  return part.type === 'text' ? part.text : '';
}

function messageFields({ part, sealed }: OpenPart): JsonObject {
  if (sealed === undefined) return {};
  if (part.type === 'opaque') return sealed;
  return part.type === 'reasoning' ? reasoningField(part.text, sealed) : {};
}

function reasoningField(text: string, sealed: JsonObject): JsonObject {
  const { field } = sealed;
  return typeof field === 'string' ? { [field]: text } : {};
}

function toToolCall(part: ToolCallPart, sealed: JsonObject, ownHost: boolean): JsonObject {
  const { spaced: _spaced, arguments: _arguments, ...difference } = sealed;
  const text = readableArguments(part, argumentsText(part, sealed), ownHost);
  return withDifference(toolCallBlock(part, text), difference);
}

/** Local servers parse the arguments of every call in the history, and fail on what is no JSON object. */
function readableArguments(part: ToolCallPart, text: string, ownHost: boolean): string {
  return part.args === null && !ownHost ? JSON.stringify({ invalid_arguments: text }) : text;
}
