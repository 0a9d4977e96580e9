// Turns a tool's return value into the result for the model: first whole and checked, then cut to what a log may hold. Pure.

import { cutNote, fairShare } from './fit-texts';
import { checkStringifiable } from '../session';
import { headOf, type Json, mediaLabel, quote, toKiB, utf8Length } from '../../base';
import { limits } from '../../protocol/limits';
import type { ToolContent, ToolOutput } from '../../protocol/message';

export type { ToolOutput };

type Media = Extract<ToolContent, { type: 'media' }>;

/** The result of a tool for the model: `wholeOutput`, then `cutOutput`. */
export function toToolOutput(tool: string, value: unknown, maxBytes?: number): ToolOutput {
  return cutOutput(wholeOutput(tool, value), maxBytes);
}

/**
 * The whole result, not cut yet. The model gets strings as they are, and other values as JSON. `undefined` becomes null. The JSON has no
 * keys without a value.
 */
export function wholeOutput(tool: string, value: unknown): ToolOutput {
  const output = value === undefined ? null : value;
  const violation = checkStringifiable(output);
  if (violation !== undefined) {
    const where = violation.path === '' ? 'its result' : `its result at ${quote(violation.path)}`;
    return errorOutput(`The tool '${tool}' ran, but ${where} is not JSON: ${violation.problem}.`);
  }
  if (typeof output === 'string')
    return { isError: false, content: [{ type: 'text', text: output }] };
  const text = textOf(output);
  if (text === undefined)
    return errorOutput(`The tool '${tool}' ran, but its result is too long to be written as JSON.`);
  return { isError: false, content: [{ type: 'json', value: JSON.parse(text) as Json }] };
}

/**
 * Cuts a whole result to what the log may hold. Its texts and its JSON share `maxBytes`. Media get the rest of `toolResultStored`, in their
 * order. Media without room become a note. Content that a store keeps stays as it is. `reason` is why the rest is not kept.
 */
export function cutOutput(
  { isError, content }: ToolOutput,
  maxBytes: number = limits.toolResultShown,
  reason?: string,
): ToolOutput {
  const texts = content.map((part) => (part.type === 'media' ? '' : contentText(part)));
  const sizes = texts.map(utf8Length);
  const share = shareOf(sizes, isError, maxBytes);
  let room = sizes.reduce<number>(
    (left, bytes) => left - Math.min(bytes, share),
    limits.toolResultStored,
  );
  const parts = content.map((part, index): ToolContent => {
    if (part.type !== 'media') return cutPart(part, texts[index] ?? '', { share, reason });
    const bytes = sizeInLog(part);
    if (bytes > room) return leftOut(part, reason);
    room -= bytes;
    return part;
  });
  return { isError, content: parts };
}

/** The most bytes that each text or JSON of an output may take, so that all take at most `maxBytes`. The text of an error may be long. */
export function textShare({ isError, content }: ToolOutput, maxBytes: number): number {
  const texts = content.flatMap((part) => (part.type === 'media' ? [] : [contentText(part)]));
  return shareOf(texts.map(utf8Length), isError, maxBytes);
}

/**
 * The output with one text in place of all texts and JSON over `share`, at the place of the first. A store keeps it as one, and the log needs
 * one note for it.
 */
export function joinedOver({ content, ...rest }: ToolOutput, share: number): ToolOutput {
  const isLong = (part: ToolContent): part is Exclude<ToolContent, Media> =>
    part.type !== 'media' && utf8Length(contentText(part)) > share;
  const [first, ...others] = content.filter(isLong);
  if (first === undefined) return { ...rest, content };
  const whole = { type: 'text' as const, text: [first, ...others].map(contentText).join('\n') };
  const parts = content.flatMap((part): readonly ToolContent[] => {
    if (part === first) return [whole];
    return isLong(part) ? [] : [part];
  });
  return { ...rest, content: parts };
}

function shareOf(sizes: readonly number[], isError: boolean, maxBytes: number): number {
  const bound = isError ? limits.toolResultShown : Math.min(maxBytes, limits.toolResultStored);
  return fairShare(sizes, bound);
}

function contentText(part: Exclude<ToolContent, Media>): string {
  return part.type === 'text' ? part.text : JSON.stringify(part.value);
}

function cutPart(
  part: Exclude<ToolContent, Media>,
  text: string,
  { share, reason }: { readonly share: number; readonly reason: string | undefined },
): ToolContent {
  const isStored = part.type === 'text' && part.stored !== undefined;
  if (isStored || utf8Length(text) <= share) return part;
  return { type: 'text', text: cut(text, share, reason) };
}

function sizeInLog({ source }: Media): number {
  if (source.kind === 'base64') return source.data.length;
  return source.kind === 'url' ? source.url.length : 0;
}

const noStore = `a result has room for ${toKiB(limits.toolResultStored)}; a worker with a result store keeps larger media`;

function leftOut({ mediaType, source }: Media, reason = noStore): ToolContent {
  return { type: 'text', text: `${mediaLabel(mediaType, source)}[left out: ${reason}]` };
}

/** Undefined if the JSON is too long for a string. Another attempt would not help. */
function textOf(output: unknown): string | undefined {
  try {
    return JSON.stringify(output);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function errorOutput(text: string): ToolOutput {
  return { isError: true, content: [{ type: 'text', text: cut(text, limits.toolResultShown) }] };
}

/** The result of a `once` call that ended without an answer. Nobody knows whether it took effect. */
export function outcomeUnknown(reason?: string): ToolOutput {
  const cut = reason === undefined ? 'was cut off' : `broke off (${reason})`;
  return errorOutput(
    `OutcomeUnknown: the call ${cut} and may or may not have taken effect. Check before repeating it.`,
  );
}

/** Cuts a long text to `maxBytes`, with a note on how much is missing. It never splits a code point. */
function cut(text: string, maxBytes: number, reason?: string): string {
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return text;
  const head = headOf(text, maxBytes - cutNote(bytes, bytes, reason).length);
  return head + cutNote(utf8Length(head), bytes, reason);
}
