import type { Content, FunctionResponse, FunctionResponsePart, Part } from '@google/genai';
import { isJsonObject, type Json } from '../../base';
import type {
  AssistantMessage,
  AssistantPart,
  Media,
  Message,
  ToolContent,
  ToolResult,
  UserMessage,
} from '../../protocol';
import { mediaAfterResults, toolContentText } from '../wire';
import {
  checksSignatures,
  functionCall,
  googleApi,
  isMadeUp,
  isPartOfResult,
  isTaken,
  mediaPart,
  projectedPart,
  restored,
} from './parts';

/** Google's documented value for calls that this model did not make. The model refuses a turn if its first call has no signature. */
const foreignSignature = 'skip_thought_signature_validator';

/** The history as the API's turns. System messages are in another member of the request. */
export function toContents(messages: readonly Message[], model: string): Content[] {
  let knownIds: ReadonlySet<string> = new Set();
  return messages.flatMap((message): Content[] => {
    if (message.role === 'assistant') knownIds = idsGiven(message);
    const role = message.role === 'assistant' ? 'model' : 'user';
    return [toParts(message, model, knownIds), mediaAfter(message, model)]
      .filter((parts) => parts.length > 0)
      .map((parts) => ({ role, parts }));
  });
}

/** A separate turn with media, because in a turn with results the API wants as many parts as the model made calls. */
function mediaAfter(message: Message, model: string): Part[] {
  if (message.role !== 'tool') return [];
  const follows = (media: Media): boolean => isTaken(media) && !isPartOfResult(media, model);
  return mediaAfterResults(message.parts, follows).flatMap(userParts);
}

function toParts(message: Message, model: string, knownIds: ReadonlySet<string>): Part[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user':
      return message.parts.flatMap(userParts);
    case 'assistant':
      return assistantParts(message, model);
    case 'tool':
      return message.parts.map((result) => ({
        functionResponse: functionResponse(result, model, knownIds.has(result.callId)),
      }));
  }
}

function userParts(part: UserMessage['parts'][number]): Part[] {
  if (part.type === 'media') return [mediaPart(part)];
  return part.text === '' ? [] : [{ text: part.text }];
}

function assistantParts(message: AssistantMessage, model: string): Part[] {
  const isOwn = message.origin?.api === googleApi;
  const parts = message.parts.flatMap((part) => (isOwn ? ownParts(part) : foreignParts(part)));
  const isSigned = isOwn && checksSignatures(message.origin.model);
  return isSigned || !checksSignatures(model) ? parts : withSignature(parts);
}

/** The parts this API once gave, each with its sealed fields. Merges and moves no part. */
function ownParts(part: AssistantPart): Part[] {
  const projection = projectedPart(part);
  if (projection === undefined) return [];
  const { sealed } = part;
  const isSealed = sealed?.api === googleApi && isJsonObject(sealed.data);
  const wire = isSealed ? restored(projection, sealed.data) : projection;
  return wire['text'] === '' && !isSealed ? [] : [wire];
}

/** A turn of another API: its texts and its calls, without their ids. */
function foreignParts(part: AssistantPart): Part[] {
  if (part.type === 'text' || part.type === 'refusal') {
    return part.text === '' ? [] : [{ text: part.text }];
  }
  return part.type === 'tool_call' ? [{ functionCall: functionCall(part, false) }] : [];
}

/** For calls of another API or of an older model. The API looks for the signature at the first call of a turn. */
function withSignature(parts: readonly Part[]): Part[] {
  const first = parts.findIndex((part) => part.functionCall !== undefined);
  return parts.map((part, index) =>
    index === first && part.thoughtSignature === undefined
      ? { ...part, thoughtSignature: foreignSignature }
      : part,
  );
}

/** The ids that the model gave to calls. Only these may go back with the results. */
function idsGiven(message: AssistantMessage): Set<string> {
  const calls = message.origin?.api === googleApi ? message.parts : [];
  return new Set(
    calls.flatMap((part) =>
      part.type === 'tool_call' && !isMadeUp(part.callId) ? [part.callId] : [],
    ),
  );
}

/** `response` must be an object. Its key shows whether the call worked. */
function functionResponse(result: ToolResult, model: string, withId: boolean): FunctionResponse {
  const isPart = (item: ToolContent): item is Extract<ToolContent, { type: 'media' }> =>
    item.type === 'media' && isPartOfResult(item, model);
  const parts = result.content
    .filter(isPart)
    .map((item) => mediaPart(item) as FunctionResponsePart);
  const others = result.content.filter((item) => !isPart(item));
  return {
    ...(withId ? { id: result.callId } : {}),
    name: result.name,
    response: { [result.isError ? 'error' : 'output']: resultValue(others) },
    ...(parts.length === 0 ? {} : { parts }),
  };
}

/** A single JSON value goes as it is; anything else becomes one text. */
function resultValue(values: readonly ToolContent[]): Json {
  const [only] = values;
  if (only?.type === 'json' && values.length === 1) return only.value;
  return values.map((item) => toolContentText(item, isTaken)).join('\n');
}
