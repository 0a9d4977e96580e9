// Checks an input: a text, or a list of text and media parts. The check is complete, because a provider gets every part. Pure.

import { isJsonObject } from '../base';
import { limits } from '../protocol/limits';
import { isBase64, isMediaType } from '../protocol/media';

/** The problem of an input, as words that follow its name, or undefined. `mayBeEmpty`: the input of a step may be empty. */
export function inputProblem(
  input: unknown,
  { mayBeEmpty }: { readonly mayBeEmpty: boolean },
): string | undefined {
  if (typeof input === 'string')
    return input.trim() === '' && !mayBeEmpty ? ' is empty' : undefined;
  if (!Array.isArray(input)) return ` must be a text or a list of parts, not ${typeName(input)}`;
  for (const [index, part] of input.entries()) {
    const problem = partProblem(part);
    if (problem !== undefined) return `[${index}]${problem}`;
  }
  const isEmpty = input.length === 0 || (!mayBeEmpty && input.every(isBlankText));
  return isEmpty ? ' is empty' : undefined;
}

function partProblem(part: unknown): string | undefined {
  if (!isJsonObject(part)) return ` must be a text or media part, not ${typeName(part)}`;
  const { type, text, stored, mediaType, source } = part;
  if (type === 'text') {
    if (typeof text !== 'string') return `.text must be a text, not ${typeName(text)}`;
    return stored === undefined || stored === null ? undefined : storedProblem(stored, '.stored');
  }
  if (type !== 'media') return `.type must be "text" or "media", not ${JSON.stringify(type)}`;
  if (!isMediaType(mediaType)) return '.mediaType must be a media type such as "image/png"';
  return sourceProblem(source);
}

function sourceProblem(source: unknown): string | undefined {
  const form =
    'must be {kind: "base64", data}, {kind: "url", url}, {kind: "ref", ref} or {kind: "stored", digest, bytes}';
  if (!isJsonObject(source)) return `.source ${form}`;
  const { kind, data, url, ref } = source;
  switch (kind) {
    case 'base64':
      return isBase64(data) ? undefined : '.source.data must be base64 with its padding';
    case 'url':
      return isUrl(url) ? undefined : '.source.url must be an absolute URL';
    case 'ref':
      return isFilled(ref) ? undefined : ".source.ref must be the provider's id of a file";
    case 'stored':
      return storedProblem(source, '.source');
    default:
      return `.source ${form}`;
  }
}

/** Only the form. Whether the run's own content has these bytes shows when they are read. */
function storedProblem(stored: unknown, name: string): string | undefined {
  const { digest, bytes } = isJsonObject(stored) ? stored : {};
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest))
    return `${name}.digest must be 64 hexadecimal digits`;
  const isSize = Number.isSafeInteger(bytes) && Number(bytes) >= 0;
  if (isSize && Number(bytes) <= limits.inputPart) return undefined;
  return `${name}.bytes must be the size of the content, at most ${limits.inputPart}`;
}

function isBlankText(part: unknown): boolean {
  return isJsonObject(part) && typeof part['text'] === 'string' && part['text'].trim() === '';
}

function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(value);
}

export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
