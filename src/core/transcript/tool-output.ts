// Turns a tool's return value into the result for the model. Checks it, cuts it if it is too long, and converts nothing. Pure.

import { cutNote } from './fit-texts';
import { checkStringifiable } from '../session';
import { headOf, utf8Length } from '../../base/text';
import type { Json } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { ToolContent, ToolOutput } from '../../protocol/message';

export type { ToolOutput };

/** The model gets strings as they are, and other values as JSON. `undefined` becomes null. The JSON has no keys without a value. */
export function toToolOutput(tool: string, value: unknown, maxBytes?: number): ToolOutput {
  return cutOutput(wholeOutput(tool, value), maxBytes);
}

/** Like `toToolOutput`, but of any length. */
export function wholeOutput(tool: string, value: unknown): ToolOutput {
  const output = value === undefined ? null : value;
  const violation = checkStringifiable(output);
  if (violation !== undefined) {
    const where = violation.path === '' ? 'its result' : `its result at ${violation.path}`;
    return errorOutput(`The tool '${tool}' ran, but ${where} is not JSON: ${violation.problem}.`);
  }
  if (typeof output === 'string')
    return { isError: false, content: [{ type: 'text', text: output }] };
  const text = textOf(output);
  if (text === undefined)
    return errorOutput(`The tool '${tool}' ran, but its result is too long to be written as JSON.`);
  return { isError: false, content: [{ type: 'json', value: JSON.parse(text) as Json }] };
}

/** Cuts each part to `maxBytes`. JSON that is too long becomes text. `reason` says why the rest is not kept. */
export function cutOutput(
  { isError, content }: ToolOutput,
  maxBytes: number = limits.toolResultShown,
  reason?: string,
): ToolOutput {
  const bound = Math.min(maxBytes, limits.toolResultStored);
  const parts = content.map((part): ToolContent => {
    if (part.type === 'media' || (part.type === 'text' && part.stored !== undefined)) return part;
    const text = part.type === 'text' ? part.text : JSON.stringify(part.value);
    return utf8Length(text) <= bound ? part : { type: 'text', text: cut(text, bound, reason) };
  });
  return { isError, content: parts };
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

/** Cuts a long text to `maxBytes`, with a note that says how much is missing. It never splits a code point. */
function cut(text: string, maxBytes: number, reason?: string): string {
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return text;
  const head = headOf(text, maxBytes - cutNote(bytes, bytes, reason).length);
  return head + cutNote(utf8Length(head), bytes, reason);
}
