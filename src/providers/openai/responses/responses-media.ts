import type { JsonObject } from '../../../base/json';
import type { MediaPart, TextPart, ToolContent } from '../../../protocol/message';
import { fileName, isImage, mediaUrl } from '../media';

type Media = MediaPart | Extract<ToolContent, { type: 'media' }>;

/** One text goes as a plain string, as every server takes it. */
export function toResponsesUserContent(
  parts: readonly (TextPart | MediaPart)[],
): string | JsonObject[] {
  const [first] = parts;
  if (first === undefined) return '';
  if (parts.length === 1 && first.type === 'text') return first.text;
  return parts.map((part) =>
    part.type === 'text' ? { type: 'input_text', text: part.text } : toResponsesMedia(part),
  );
}

export function toResponsesMedia(media: Media): JsonObject {
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
    case 'url':
      return { type: 'input_file', file_url: source.url };
    case 'base64':
      return { type: 'input_file', filename: fileName(media), file_data: mediaUrl(media) ?? '' };
  }
}
