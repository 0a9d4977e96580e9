import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions/completions';
import { defined, type JsonObject, textOfParts } from '../../../base';
import {
  type AssistantMessage,
  type AssistantPart,
  type Media,
  type MediaPart,
  type Message,
  pdfType,
  pictureTypes,
  type TextPart,
  type ToolCallPart,
  type ToolResult,
} from '../../../protocol';
import { isOnWeb, mediaAfterResults, mergeExtra, toolResultText, withDifference } from '../../wire';
import type { ModelRequest, ToolDeclaration } from '../../provider';
import { chatApi, type Endpoint, type OpenPart, openParts } from '../endpoint';
import {
  writtenArguments,
  fileName,
  isImage,
  isStrictSchema,
  mediaUrl,
  namedSchema,
  offeredTools,
  toChatToolChoice,
  unsupportedMedia,
} from '../parts';
import { toolCallBlock } from './chat-stream';

type ChatDialect = Pick<Endpoint, 'ownHost' | 'maxTokensField'>;

/** The whole body of one call. Compatible servers get no field that only OpenAI knows. */
export function toChatRequest(
  request: ModelRequest,
  { ownHost, maxTokensField }: ChatDialect,
  configured?: JsonObject,
): ChatCompletionCreateParamsStreaming {
  const { settings, tools, cacheKey } = request;
  const body = {
    model: request.model,
    messages: [...systemMessage(request), ...toChatMessages(request.messages, ownHost)],
    ...(tools.length === 0 ? {} : { tools: offeredTools(request, ownHost).map(toTool(ownHost)) }),
    ...toChatToolChoice(request, ownHost),
    ...responseFormat(request),
    ...(settings.reasoning?.effort === undefined
      ? {}
      : { reasoning_effort: settings.reasoning.effort }),
    ...defined({ [maxTokensField]: settings.maxOutputTokens, temperature: settings.temperature }),
    ...(settings.stop === undefined || settings.stop.length === 0
      ? {}
      : { stop: [...settings.stop] }),
    ...(ownHost ? { store: false, prompt_cache_key: cacheKey } : {}),
    stream: true,
    stream_options: { include_usage: true },
  } satisfies ChatCompletionCreateParamsStreaming;
  return withExtra(withExtra(body, configured), settings.extra);
}

function systemMessage({ instructions }: ModelRequest): ChatCompletionMessageParam[] {
  return instructions === undefined ? [] : [{ role: 'system', content: instructions }];
}

function toTool(ownHost: boolean): (tool: ToolDeclaration) => ChatCompletionTool {
  return ({ name, description, inputSchema }) => {
    const strict = ownHost && isStrictSchema(inputSchema) ? { strict: true } : {};
    return {
      type: 'function',
      function: { name, description, parameters: inputSchema, ...strict },
    };
  };
}

function responseFormat({
  output,
}: ModelRequest): Pick<ChatCompletionCreateParamsStreaming, 'response_format'> {
  if (output === undefined) return {};
  return { response_format: { type: 'json_schema', json_schema: namedSchema(output) } };
}

function withExtra(
  body: ChatCompletionCreateParamsStreaming,
  extra: JsonObject | undefined,
): ChatCompletionCreateParamsStreaming {
  return mergeExtra(
    body as unknown as JsonObject,
    extra,
  ) as unknown as ChatCompletionCreateParamsStreaming;
}

/** A message becomes the same messages for any messages after it, so the messages of one turn are a prefix of the next turn's. */
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
        return toolMessages(message.parts);
    }
  });
}

/** A tool's message is a plain text. The media come in one user message after all results. */
function toolMessages(results: readonly ToolResult[]): ChatCompletionMessageParam[] {
  const media = mediaAfterResults(results, isTaken);
  return [
    ...results.map((result) => ({
      role: 'tool' as const,
      tool_call_id: result.callId,
      content: toolResultText(result, { errorFlag: false, follows: isTaken }),
    })),
    ...(media.length === 0 ? [] : [{ role: 'user' as const, content: toChatUserContent(media) }]),
  ];
}

/** Text and calls go into their own fields. Reasoning and unknown fields go back only to the API they came from. */
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
  const text = readableArguments(part, writtenArguments(part, sealed), ownHost);
  return withDifference(toolCallBlock(part, text), difference);
}

/** Local servers parse the arguments of every call in the history, and fail if they are not a JSON object. */
function readableArguments(part: ToolCallPart, text: string, ownHost: boolean): string {
  return part.args === null && !ownHost ? JSON.stringify({ invalid_arguments: text }) : text;
}

/** A single text goes as a plain string: many compatible servers take nothing else. */
function toChatUserContent(
  parts: readonly (TextPart | MediaPart)[],
): string | ChatCompletionContentPart[] {
  if (parts.every((part) => part.type === 'text') && parts.length < 2) return parts[0]?.text ?? '';
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : toMediaPart(part),
  );
}

function toMediaPart(media: MediaPart): ChatCompletionContentPart {
  const { mediaType, source } = media;
  const url = mediaUrl(media);
  if (isImage(media) && url !== undefined) return { type: 'image_url', image_url: { url } };
  if (source.kind === 'ref') return { type: 'file', file: { file_id: source.ref } };
  const format = audioFormat(mediaType);
  if (source.kind === 'base64' && format !== undefined) {
    return { type: 'input_audio', input_audio: { data: source.data, format } };
  }
  if (source.kind === 'base64' && url !== undefined) {
    return { type: 'file', file: { filename: fileName(media), file_data: url } };
  }
  throw unsupportedMedia(chatApi, media);
}

/** True for what `toMediaPart` has a form for, and the API takes. */
function isTaken(media: Media): boolean {
  const { mediaType, source } = media;
  if (pictureTypes.some((type) => type === mediaType)) return isOnWeb(media);
  return source.kind !== 'url' && (mediaType === pdfType || audioFormat(mediaType) !== undefined);
}

function audioFormat(mediaType: string): 'wav' | 'mp3' | undefined {
  if (/^audio\/(?:x-)?wav$/.test(mediaType)) return 'wav';
  return /^audio\/(?:mpeg|mp3)$/.test(mediaType) ? 'mp3' : undefined;
}
