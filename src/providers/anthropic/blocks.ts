import { isJsonObject, type JsonObject } from '../../base';
import {
  type AssistantPart,
  type Media,
  pdfType as pdf,
  pictureTypes as imageTypes,
  ProviderError,
  type ToolContent,
  type ToolResult,
} from '../../protocol';
import type {
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { isOnWeb, toolContentText } from '../wire';
import { unreadContent } from '../stored-content';

/** The API takes pictures of 5 MB. Base64 has four characters for three bytes. */
const longestPicture = (5_000_000 / 3) * 4;

/** The name of this API. Data sealed under it goes back only to it. */
export const anthropicApi = 'anthropic-messages';

/** A content block of the API, with all its fields. */
export type MessageBlock = JsonObject & { type: string };

/** A part as a block of this API; undefined if the API has no such block. The sealed data has the fields that the part does not have. */
export function projectedBlock(part: AssistantPart): MessageBlock | undefined {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'reasoning':
      return part.redacted === true
        ? { type: 'redacted_thinking' }
        : { type: 'thinking', thinking: part.text };
    case 'tool_call':
      return {
        type: 'tool_use',
        id: part.callId,
        name: part.name,
        // Input must be an object: invalid arguments go back as the model's text.
        input: part.args ?? { INVALID_JSON: part.rawArgs ?? '' },
      };
    case 'opaque':
      return isJsonObject(part.sealed.data) ? (part.sealed.data as MessageBlock) : undefined;
    // A refusal is outside of the content (`stop_details`). The API takes no media from an assistant.
    case 'refusal':
    case 'media':
      return undefined;
  }
}

/** The API refuses text blocks without a visible character. */
export function textBlocks(text: string): TextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Images, and PDFs as documents. A `ref` is an id of the provider's file store. */
export function mediaBlock(media: Media): ImageBlockParam | DocumentBlockParam {
  const { mediaType, source } = media;
  const imageType = imageTypes.find((type) => type === mediaType);
  if (imageType === undefined && mediaType !== pdf) {
    throw new ProviderError(
      'rejected',
      `${anthropicApi} does not take ${mediaType}: it takes ${imageTypes.join(', ')} and ${pdf}.`,
    );
  }
  const type = imageType === undefined ? 'document' : 'image';
  switch (source.kind) {
    case 'url':
      return { type, source: { type: 'url', url: source.url } };
    case 'ref':
      return { type, source: { type: 'file', file_id: source.ref } };
    case 'stored':
      return unreadContent();
    case 'base64':
      return imageType === undefined
        ? { type: 'document', source: { type: 'base64', media_type: pdf, data: source.data } }
        : { type: 'image', source: { type: 'base64', media_type: imageType, data: source.data } };
  }
}

/** True for media that a tool's result, or a user, may have. */
export function isTaken(media: Media): boolean {
  const { mediaType, source } = media;
  if (mediaType === pdf) return isOnWeb(media);
  const isShort = source.kind !== 'base64' || source.data.length <= longestPicture;
  return imageTypes.some((type) => type === mediaType) && isShort && isOnWeb(media);
}

/** In an error the API takes only text: its media follow the results. */
export function toolResultBlock(result: ToolResult, id: string): ToolResultBlockParam {
  const { isError } = result;
  const content = result.content.flatMap((item) => resultBlocks(item, isError));
  // The API refuses an error without a text.
  if (content.length === 0 && isError) content.push({ type: 'text', text: 'failed' });
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(content.length === 0 ? {} : { content }),
    ...(isError ? { is_error: true } : {}),
  };
}

function resultBlocks(
  item: ToolContent,
  isError: boolean,
): (TextBlockParam | ImageBlockParam | DocumentBlockParam)[] {
  return item.type === 'media' && isTaken(item) && !isError
    ? [mediaBlock(item)]
    : textBlocks(toolContentText(item, isTaken));
}
