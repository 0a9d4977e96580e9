import type { ToolResult } from '../../protocol';

type Content = ToolResult['content'][number];

/** A result as AG-UI has it: a text, or parts if it has media. */
export function resultContent({ content }: Pick<ToolResult, 'content'>): string | object[] {
  if (content.some(({ type }) => type === 'media'))
    return content.map((part) => mediaPart(part) ?? { type: 'text', text: textOf(part) });
  return content.map(textOf).join('\n');
}

function textOf(part: Content): string {
  if (part.type === 'text') return part.text;
  return part.type === 'json' ? JSON.stringify(part.value) : `(${part.mediaType})`;
}

/** Undefined for media that only the server can read. */
function mediaPart(part: Content): object | undefined {
  if (part.type !== 'media') return undefined;
  const { mediaType: mimeType, source } = part;
  const [kind = ''] = mimeType.split('/');
  const type = ['image', 'audio', 'video'].includes(kind) ? kind : 'document';
  if (source.kind === 'base64')
    return { type, source: { type: 'data', value: source.data, mimeType } };
  if (source.kind === 'url') return { type, source: { type: 'url', value: source.url, mimeType } };
  return undefined;
}
