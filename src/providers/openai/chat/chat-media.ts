import type { ChatCompletionContentPart } from 'openai/resources/chat/completions/completions';
import type { MediaPart, TextPart } from '../../../protocol/message';
import { chatApi } from '../api';
import { fileName, isImage, mediaUrl, unsupportedMedia } from '../media';

/** One text goes as a plain string: many compatible servers take nothing else. */
export function toChatUserContent(
  parts: readonly (TextPart | MediaPart)[],
): string | ChatCompletionContentPart[] {
  if (parts.every((part) => part.type === 'text') && parts.length < 2) return parts[0]?.text ?? '';
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : mediaBlock(part),
  );
}

function mediaBlock(media: MediaPart): ChatCompletionContentPart {
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

function audioFormat(mediaType: string): 'wav' | 'mp3' | undefined {
  if (/^audio\/(?:x-)?wav$/.test(mediaType)) return 'wav';
  return /^audio\/(?:mpeg|mp3)$/.test(mediaType) ? 'mp3' : undefined;
}
