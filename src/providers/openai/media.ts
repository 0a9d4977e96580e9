import type { MediaPart, ToolContent } from '../../protocol/message';
import { ProviderError } from '../../protocol/errors';

type Media = Pick<MediaPart, 'mediaType' | 'source'> | Extract<ToolContent, { type: 'media' }>;

export function isImage(media: Media): boolean {
  return media.mediaType.startsWith('image/');
}

/** The URL of media that travel by URL or inline; undefined for an id of the provider's file store. */
export function mediaUrl({ mediaType, source }: Media): string | undefined {
  switch (source.kind) {
    case 'url':
      return source.url;
    case 'base64':
      return `data:${mediaType};base64,${source.data}`;
    case 'ref':
      return undefined;
  }
}

/** Files sent inline need a name; the extension is all the API reads of it. */
export function fileName({ mediaType }: Media): string {
  const subtype = mediaType.split(/[/;]/)[1] ?? '';
  return `file.${/^[\w-]+$/.test(subtype) ? subtype : 'bin'}`;
}

export function unsupportedMedia(api: string, media: Media): ProviderError {
  const how = { url: 'by URL', base64: 'inline', ref: 'by file id' }[media.source.kind];
  return new ProviderError('rejected', `${api} does not take ${media.mediaType} ${how}.`);
}
