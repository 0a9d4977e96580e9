// Measures and cuts text for travel: in bytes of UTF-8, never within a code point. Pure.

const beyondAscii = /[\u0080-\uffff]/;

/** Bytes of `text` in UTF-8; a lone surrogate counts as the replacement character. */
export function utf8Length(text: string): number {
  const first = text.search(beyondAscii);
  if (first < 0) return text.length;
  let bytes = first;
  for (let index = first; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** The longest head of `text` within `maxBytes` of UTF-8 that ends at a code point. */
export function headOf(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  let index = 0;
  while (index < text.length) {
    const codePoint = text.codePointAt(index) ?? 0;
    bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    if (bytes > maxBytes) break;
    index += codePoint > 0xffff ? 2 : 1;
  }
  return text.slice(0, index);
}

/**
 * `text`, or its head and an ellipsis, within `maxBytes`. It never leaves half of a surrogate pair: Temporal's core could not read that in
 * a failure's message, and the worker would end.
 */
export function clipText(text: string, maxBytes: number): string {
  const clipped = utf8Length(text) <= maxBytes ? text : `${headOf(text, maxBytes - 3)}…`;
  return clipped.toWellFormed();
}

/** One line of at most `maxBytes`, for a summary or a progress line. */
export function oneLine(text: string, maxBytes: number): string {
  const trimmed = text.trim();
  const head = headOf(trimmed, maxBytes * 4);
  const line = head.replace(/\s+/g, ' ').trim();
  return clipText(head === trimmed ? line : `${line}…`, maxBytes);
}

/** The text parts of a message, joined. */
export function textOfParts(
  parts: readonly { readonly type: string; readonly text?: string }[],
  separator = '',
): string {
  return parts
    .flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
    .join(separator);
}

type SourceOfMedia = {
  readonly kind?: string;
  readonly url?: string;
  readonly data?: string;
  readonly digest?: string;
  readonly bytes?: number;
};

/** Media in a line of text, such as `[image/png, 204,800 bytes, stored as 3fa9c0de11aa2233…]`. */
export function mediaLabel(mediaType: string, source: SourceOfMedia): string {
  const { url, data, digest } = source;
  const bytes = data === undefined ? source.bytes : base64Bytes(data);
  if (url !== undefined) return `[${mediaType} ${url}]`;
  const size = bytes === undefined ? '' : `, ${grouped(bytes)} bytes`;
  return `[${mediaType}${size}${digest === undefined ? '' : `, stored as ${digest.slice(0, 16)}…`}]`;
}

/** The bytes that a base64 text stands for. */
function base64Bytes(data: string): number {
  return Math.floor((data.replace(/=+$/, '').length * 3) / 4);
}

/** A whole number with commas, the same in every locale. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** `1 turn`, `2 turns` */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function toKiB(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}

/** Quotes any word for a POSIX shell. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
