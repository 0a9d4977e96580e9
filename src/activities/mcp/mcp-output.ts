// What an MCP server answered, as the model is shown it. Pure.

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { utf8Length } from '../../base/text';
import { errorOutput, toToolOutput, type ToolOutput } from '../../core/transcript/tool-output';
import { limits } from '../../protocol/limits';
import type { ToolContent } from '../../protocol/message';

type Block = CallToolResult['content'][number];
type Media = Extract<ToolContent, { type: 'media' }>;
type Data = { readonly data: string; readonly mimeType: string | undefined };

/** What every provider takes as a picture. */
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const roomForText = limits.toolResultShown;

/** Structured content stands for the text beside it, as the protocol says; not for pictures, which it holds as text. */
export function mcpOutput(
  tool: string,
  { content, structuredContent, isError }: CallToolResult,
): ToolOutput {
  const media: Media[] = [];
  const texts: string[] = [];
  let room = limits.toolResultStored - roomForText;
  for (const block of content) {
    const picture = pictureOf(block);
    if (picture !== undefined && picture.data.length <= room) {
      room -= picture.data.length;
      media.push({
        type: 'media',
        mediaType: picture.mimeType,
        source: { kind: 'base64', data: picture.data },
      });
    } else texts.push(textOf(block));
  }
  const text = texts.filter((part) => part !== '').join('\n');
  if (isError === true)
    return errorOutput(text || `The tool '${tool}' failed and did not say why.`);
  if (media.length === 0 && structuredContent !== undefined)
    return toToolOutput(tool, structuredContent);
  if (media.length === 0) return toToolOutput(tool, text || null);
  const shown = text === '' ? [] : toToolOutput(tool, text, roomForText).content;
  return { isError: false, content: [...shown, ...media] };
}

function pictureOf(block: Block): { data: string; mimeType: string } | undefined {
  const { data, mimeType } = dataOf(block) ?? {};
  if (data === undefined || mimeType === undefined || !imageTypes.has(mimeType)) return undefined;
  // A provider refuses anything else, for this call and for every later one of the run.
  const isBase64 = data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+=*$/.test(data);
  return isBase64 ? { data, mimeType } : undefined;
}

function dataOf(block: Block): Data | undefined {
  if (block.type === 'image' || block.type === 'audio') return block;
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  return { data: block.resource.blob, mimeType: block.resource.mimeType };
}

function textOf(block: Block): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') {
    return [block.name, block.description, block.uri].filter(Boolean).join(': ');
  }
  if (block.type === 'resource' && 'text' in block.resource) return block.resource.text;
  const { data = '', mimeType = 'of an unknown type' } = dataOf(block) ?? {};
  const place = block.type === 'resource' ? ` ${block.resource.uri}` : '';
  return `[${block.type}${place} ${mimeType}, ${utf8Length(data)} bytes of base64: not shown]`;
}
