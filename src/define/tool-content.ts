// A tool's result with several parts, or media. Longhaul checks the parts after the tool ran.

import { isPlainObject, type Json, plainJson, toKiB, utf8Length } from '../base';
import { typeName } from '../core/input-parts';
import { checkStringifiable } from '../core/session';
import { errorOutput } from '../core/transcript/tool-output';
import {
  checkedType,
  isBase64,
  isMediaType,
  limits,
  LonghaulError,
  type ToolContent,
  type ToolOutput,
} from '../protocol';

/** A part of a result: a text, a JSON value, or media. */
export type ToolContentPart =
  | string
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'json'; readonly value: unknown }
  /** A picture, a PDF, sound, …: its bytes, or their base64. */
  | { readonly type: 'media'; readonly mediaType: string; readonly data: Uint8Array | string }
  /** The model's provider fetches the URL, in each model call. */
  | { readonly type: 'media'; readonly mediaType: string; readonly url: string };

/** The same for all copies of this package. JSON cannot have it. */
const brand = Symbol.for('longhaul/tool-content');

/** What `toolContent` returns. `execute` must return it as it is, not inside of other values. */
export class ToolContentParts {
  readonly [brand] = true;
  readonly parts: readonly ToolContentPart[];

  constructor(parts: readonly ToolContentPart[]) {
    this.parts = parts;
  }

  toJSON(): never {
    const message =
      'toolContent is not JSON: only execute of a tool made by defineTool can return it.';
    throw new LonghaulError('ToolError', message);
  }
}

/**
 * A result of several parts, for example a text and a picture. Return it from `execute`. The model sees the parts in their order.
 *
 * @example
 * execute: async ({ month }) =>
 *   toolContent([`Sales of ${month}:`, { type: 'media', mediaType: 'image/png', data: await chartOf(month) }]),
 */
export function toolContent(parts: readonly ToolContentPart[]): ToolContentParts {
  return new ToolContentParts(parts);
}

export function isToolContent(value: unknown): value is ToolContentParts {
  return typeof value === 'object' && value !== null && brand in value;
}

/** The whole result, not cut yet. A wrong part makes it an error. Its text states that the tool ran. */
export function toolContentOutput(tool: string, { parts }: ToolContentParts): ToolOutput {
  const wrong = (problem: string): ToolOutput =>
    errorOutput(`The tool '${tool}' ran, but its result is wrong: ${problem}.`);
  if (!Array.isArray(parts) || parts.length > limits.toolParts)
    return wrong(`toolContent takes a list of at most ${limits.toolParts} parts`);
  const content: ToolContent[] = [];
  for (const [index, part] of parts.entries()) {
    const read = readPart(part, `parts[${index}]`);
    if (typeof read === 'string') return wrong(read);
    content.push(read);
  }
  return { isError: false, content };
}

/** The part as the log has it, or what is wrong with it, as words that start with its place. */
export function readPart(part: unknown, place: string): ToolContent | string {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isPlainObject(part)) return `${place} must be a text or an object, not ${typeName(part)}`;
  const { type, text, value } = part;
  switch (type) {
    case 'text':
      return typeof text === 'string'
        ? { type, text }
        : `${place}.text must be a text, not ${typeName(text)}`;
    case 'json':
      return readJson(value, place);
    case 'media':
      return readMedia(part, place);
    default:
      return `${place}.type must be "text", "json" or "media", not ${JSON.stringify(type)}`;
  }
}

function readJson(value: unknown, place: string): ToolContent | string {
  const violation = checkStringifiable(value, `${place}.value`);
  if (violation !== undefined) return `${violation.path} is not JSON: ${violation.problem}`;
  return { type: 'json', value: plainJson(value) as Json };
}

function readMedia(part: Readonly<Record<string, unknown>>, place: string): ToolContent | string {
  const { data, url } = part;
  const mediaType = typeOf(part['mediaType']);
  if (!isMediaType(mediaType)) return `${place}.mediaType must be a type such as "image/png"`;
  if ((data === undefined) === (url === undefined)) return `${place} must have data or url`;
  if (url !== undefined) {
    const problem = urlProblem(url, place);
    return problem ?? { type: 'media', mediaType, source: { kind: 'url', url: url as string } };
  }
  const base64 = ArrayBuffer.isView(data) ? bytesOf(data).toString('base64') : data;
  if (base64 === '') return `${place}.data is empty`;
  if (!isBase64(base64)) return `${place}.data must be a Uint8Array, or base64 with its padding`;
  if (isTextual(mediaType))
    return { type: 'text', text: Buffer.from(base64, 'base64').toString('utf8') };
  const type = checkedType(mediaType, base64);
  return type === undefined
    ? `${place}.data is not ${mediaType}: it begins otherwise`
    : { type: 'media', mediaType: type, source: { kind: 'base64', data: base64 } };
}

/** The media type without its parameters. Servers write them: `text/html; charset=utf-8`. */
function typeOf(mediaType: unknown): unknown {
  return typeof mediaType === 'string' ? mediaType.split(';')[0]?.trim().toLowerCase() : mediaType;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The model reads such a file as text: not all providers take it, and text can be cut. */
function isTextual(mediaType: string): boolean {
  return /^text\/|^application\/(?:json|xml|yaml)$|\+(?:json|xml)$/.test(mediaType);
}

function urlProblem(url: unknown, place: string): string | undefined {
  if (typeof url !== 'string' || !/^(?:https?|gs):\/\/\S+$/i.test(url))
    return `${place}.url must start with https://, http:// or gs://; content itself goes into data`;
  return utf8Length(url) > limits.mediaUrl
    ? `${place}.url is longer than ${toKiB(limits.mediaUrl)}`
    : undefined;
}
