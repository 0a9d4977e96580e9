// Fits texts into little room: short texts stay whole, long ones become their head and a note. Pure.
//
// 1. The long texts share equally the room that the short ones leave.
// 2. If a text was cut before, it cuts the text again without the old note. The new note states the size of the whole text.
// 3. A cut never splits a code point.

import { headOf, utf8Length } from '../../base';
import { limits } from '../../protocol/limits';
import type { Stored } from '../../protocol/message';

/** Measures the bytes of a text in its place. No part of a text takes more than the whole. */
export type SizeOf = (text: string) => number;

export const jsonBytes = (value: unknown): number => utf8Length(JSON.stringify(value));

/** The bytes in JSON, without the quotes. */
export const sizeInJson: SizeOf = (text) => jsonBytes(text) - 2;

/** The bytes in JSON inside a JSON text, such as `combinedText`. */
export const sizeInJsonText: SizeOf = (text) => jsonBytes(JSON.stringify(text)) - 6;

/** Cuts a text. Leaves out the note if the note has no room. */
export function cutText(text: string, maxBytes: number, sizeOf: SizeOf = utf8Length): string {
  if (sizeOf(text) <= maxBytes) return text;
  const { head, bytes } = wholeOf(text);
  const room = maxBytes - sizeOf(cutNote(bytes, bytes));
  if (room <= 0) return longestHead(head, maxBytes, sizeOf);
  const shown = longestHead(head, room, sizeOf);
  return shown + cutNote(utf8Length(shown), bytes);
}

/** Fits all texts into `maxBytes`, in their order. */
export function fitTexts(
  texts: readonly string[],
  maxBytes: number,
  sizeOf: SizeOf,
): readonly string[] {
  const share = fairShare(texts.map(sizeOf), maxBytes);
  return texts.map((text) => cutText(text, share, sizeOf));
}

/** The most bytes that each text may take, so that all together take at most `maxBytes`. */
export function fairShare(sizes: readonly number[], maxBytes: number): number {
  let left = Math.max(0, maxBytes);
  const ascending = sizes.toSorted((one, other) => one - other);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

export const cutNote = (shown: number, bytes: number, reason?: string): string =>
  `\n[cut: the first ${shown} of ${bytes} bytes are shown${reason === undefined ? '' : `; ${reason}`}]`;

/**
 * The head of a text that a result store keeps, and a note with its ref. If the text is a result, the model can read on with `read_result`.
 * It takes `maxBytes` at most, but the note is always whole.
 */
export function storedHead(
  text: string,
  { digest, bytes }: Stored,
  maxBytes: number = limits.storedHead,
): string {
  const note = (shown: number): string =>
    `\n[the first ${shown} of ${bytes} bytes are shown, and the whole text is stored: read on with read_result, or search with find_in_result; ref "${digest}"]`;
  const head = headOf(text, Math.min(maxBytes, limits.storedHead) - note(bytes).length);
  return head + note(utf8Length(head));
}

function wholeOf(text: string): { readonly head: string; readonly bytes: number } {
  const cut = /\n\[cut: the first \d+ of (\d+) bytes are shown(?:; [^\]]*)?\]$/.exec(text);
  if (cut === null) return { head: text, bytes: utf8Length(text) };
  return { head: text.slice(0, cut.index), bytes: Number(cut[1]) };
}

function longestHead(text: string, maxBytes: number, sizeOf: SizeOf): string {
  let [fitting, tooMany] = [0, Math.min(text.length, Math.max(0, maxBytes)) + 1];
  while (fitting + 1 < tooMany) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (sizeOf(wholeHead(text, middle)) <= maxBytes) fitting = middle;
    else tooMany = middle;
  }
  return wholeHead(text, fitting);
}

function wholeHead(text: string, length: number): string {
  const splits = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, splits ? length - 1 : length);
}
