import type {
  DocumentBlockParam,
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { ProviderError } from '../../protocol/errors';
import type { MediaSource, ToolContent, ToolResult } from '../../protocol/message';
import { toolContentText } from '../text';
import { anthropicApi } from './blocks';

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const pdf = 'application/pdf';

export type Media = { readonly mediaType: string; readonly source: MediaSource };

/** The API refuses text blocks without a visible character. */
export function textBlocks(text: string): TextBlockParam[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Images, and PDFs as documents; a `ref` is an id of the provider's file store. */
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
    case 'base64':
      return imageType === undefined
        ? { type: 'document', source: { type: 'base64', media_type: pdf, data: source.data } }
        : { type: 'image', source: { type: 'base64', media_type: imageType, data: source.data } };
  }
}

export function toolResultBlock(result: ToolResult, id: string): ToolResultBlockParam {
  const content = result.content.flatMap(resultBlocks);
  // An error without a word is refused.
  if (content.length === 0 && result.isError) content.push({ type: 'text', text: 'failed' });
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...(content.length === 0 ? {} : { content }),
    ...(result.isError ? { is_error: true } : {}),
  };
}

function resultBlocks(
  item: ToolContent,
): (TextBlockParam | ImageBlockParam | DocumentBlockParam)[] {
  return item.type === 'media' ? [mediaBlock(item)] : textBlocks(toolContentText(item));
}
