import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
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
  type ToolResult,
} from '../../../protocol';
import { isOnWeb, mergeExtra, toolContentText, toolResultText, withDifference } from '../../wire';
import type { ModelRequest, ToolDeclaration } from '../../provider';
import {
  writtenArguments,
  fileName,
  isImage,
  isStrictSchema,
  mediaUrl,
  namedSchema,
  toResponsesToolChoice,
} from '../parts';
import { openParts, responsesApi } from '../endpoint';
import {
  functionCallItem,
  openedMessage,
  type OpenMessage,
  toMessageBlock,
  toMessageItem,
  toReasoningItem,
} from './items';
import { unreadContent } from '../../stored-content';

/** The whole body of one call. The provider keeps nothing: every call sends the whole history. */
export function toResponsesRequest(
  request: ModelRequest,
  configured?: JsonObject,
): ResponseCreateParamsStreaming {
  const { instructions, settings, tools } = request;
  const body = {
    model: request.model,
    ...defined({ instructions }),
    input: toResponsesInput(request.messages),
    ...(tools.length === 0 ? {} : { tools: tools.map(toFunctionTool) }),
    ...toResponsesToolChoice(request),
    ...textFormat(request),
    ...(settings.reasoning?.effort === undefined
      ? {}
      : { reasoning: { effort: settings.reasoning.effort } }),
    ...defined({ max_output_tokens: settings.maxOutputTokens, temperature: settings.temperature }),
    store: false,
    ...(hasEncryptedReasoning(request.model)
      ? { include: ['reasoning.encrypted_content' as const] }
      : {}),
    prompt_cache_key: request.cacheKey,
    stream: true,
  } satisfies ResponseCreateParamsStreaming;
  return withExtra(withExtra(body, configured), settings.extra);
}

/** Older models without reasoning refuse a request that asks for it. */
function hasEncryptedReasoning(model: string): boolean {
  return !/^(?:ft:)?(?:gpt-3\.5|gpt-4|chatgpt-|gpt-5(?:\.\d+)?-chat)/.test(model);
}

function withExtra(
  body: ResponseCreateParamsStreaming,
  extra: JsonObject | undefined,
): ResponseCreateParamsStreaming {
  return mergeExtra(
    body as unknown as JsonObject,
    extra,
  ) as unknown as ResponseCreateParamsStreaming;
}

/** The API's default is strict, so every tool sets `strict`. */
function toFunctionTool({ name, description, inputSchema }: ToolDeclaration): FunctionTool {
  return {
    type: 'function',
    name,
    description,
    parameters: inputSchema,
    strict: isStrictSchema(inputSchema),
  };
}

function textFormat({ output }: ModelRequest): Pick<ResponseCreateParamsStreaming, 'text'> {
  return output === undefined
    ? {}
    : { text: { format: { type: 'json_schema', ...namedSchema(output) } } };
}

/** A message becomes the same items for any messages after it, so the input of one turn is a prefix of the next turn's. */
export function toResponsesInput(messages: readonly Message[]): ResponseInputItem[] {
  return messages.flatMap(messageItems) as unknown as ResponseInputItem[];
}

function messageItems(message: Message): JsonObject[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: textOfParts(message.parts) }];
    case 'user':
      return [{ role: 'user', content: toResponsesUserContent(message.parts) }];
    case 'assistant':
      return assistantItems(message);
    case 'tool':
      return message.parts.map(toolOutputItem);
  }
}

/** Leaves out reasoning at the end, which the API refuses: the items after it were cut or dropped. */
function assistantItems(message: AssistantMessage): JsonObject[] {
  const writer = new ItemWriter();
  for (const { part, sealed } of openParts(message, responsesApi)) {
    if (sealed === undefined) writer.project(part);
    else writer.restore(part, sealed);
  }
  const items = writer.items();
  return items.slice(0, items.findLastIndex((item) => item['type'] !== 'reasoning') + 1);
}

/** Collects the items of one turn. It gathers text of another origin, and the blocks of one message, before it writes them. */
class ItemWriter {
  readonly #items: JsonObject[] = [];
  #message: OpenMessage | undefined;
  #text = '';

  items(): readonly JsonObject[] {
    this.#flush();
    return this.#items;
  }

  restore(part: AssistantPart, sealed: JsonObject): void {
    const block = toMessageBlock(part, sealed);
    if (block === undefined) {
      this.#write(restoredItem(part, sealed));
      return;
    }
    const opened = openedMessage(sealed);
    if (opened !== undefined || this.#message === undefined) {
      this.#flush();
      this.#message = opened ?? openedMessage({ message: {} });
    }
    this.#message?.content.push(block);
  }

  /** Writes texts and calls, which any model can read. Reasoning and opaque parts belong to their own provider. */
  project(part: AssistantPart): void {
    if (part.type === 'text' || part.type === 'refusal' || part.type === 'media') {
      if (this.#message !== undefined) this.#flush();
      this.#text += part.type === 'media' ? `[${part.mediaType}]` : part.text;
    } else if (part.type === 'tool_call') {
      this.#write(functionCallItem(part, writtenArguments(part, {})));
    }
  }

  #write(item: JsonObject): void {
    this.#flush();
    this.#items.push(item);
  }

  #flush(): void {
    if (this.#message !== undefined) this.#items.push(toMessageItem(this.#message));
    if (this.#text !== '') this.#items.push({ role: 'assistant', content: this.#text });
    this.#message = undefined;
    this.#text = '';
  }
}

function restoredItem(part: AssistantPart, sealed: JsonObject): JsonObject {
  if (part.type === 'reasoning') return toReasoningItem(part, sealed);
  if (part.type !== 'tool_call') return sealed;
  const { spaced: _spaced, arguments: _arguments, ...difference } = sealed;
  return withDifference(functionCallItem(part, writtenArguments(part, sealed)), difference);
}

function toolOutputItem(result: ToolResult): JsonObject {
  const hasMedia = result.content.some((part) => part.type === 'media' && isTaken(part));
  const output = hasMedia ? mediaOutput(result) : toolResultText(result, { errorFlag: false });
  return { type: 'function_call_output', call_id: result.callId, output };
}

function mediaOutput(result: ToolResult): JsonObject[] {
  const blocks = result.content.map((content): JsonObject =>
    content.type === 'media' && isTaken(content)
      ? toResponsesMedia(content)
      : { type: 'input_text', text: toolContentText(content) },
  );
  return result.isError ? [{ type: 'input_text', text: 'Error:' }, ...blocks] : blocks;
}

/** The API has no form for sound and video. */
function isTaken(media: Media): boolean {
  const isKnown = [...pictureTypes, pdfType].some((type) => type === media.mediaType);
  return isKnown && isOnWeb(media);
}

/** A single text goes as a plain string, which every server takes. */
function toResponsesUserContent(parts: readonly (TextPart | MediaPart)[]): string | JsonObject[] {
  const [first] = parts;
  if (first === undefined) return '';
  if (parts.length === 1 && first.type === 'text') return first.text;
  return parts.map((part) =>
    part.type === 'text' ? { type: 'input_text', text: part.text } : toResponsesMedia(part),
  );
}

function toResponsesMedia(media: Media): JsonObject {
  return isImage(media) ? imageBlock(media) : fileBlock(media);
}

function imageBlock(media: Media): JsonObject {
  const { source } = media;
  const where =
    source.kind === 'ref' ? { file_id: source.ref } : { image_url: mediaUrl(media) ?? '' };
  return { type: 'input_image', detail: 'auto', ...where };
}

function fileBlock(media: Media): JsonObject {
  const { source } = media;
  switch (source.kind) {
    case 'ref':
      return { type: 'input_file', file_id: source.ref };
    case 'stored':
      return unreadContent();
    case 'url':
      return { type: 'input_file', file_url: source.url };
    case 'base64':
      return { type: 'input_file', filename: fileName(media), file_data: mediaUrl(media) ?? '' };
  }
}
