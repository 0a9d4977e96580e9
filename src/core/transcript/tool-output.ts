// Turns a tool's return value into the result for the model. Checks it, cuts it if it is too long, and converts nothing. Pure.

import { cutNote } from './fit-texts';
import { checkStringifiable } from '../session';
import { headOf, utf8Length } from '../../base/text';
import type { Json } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { ToolOutput } from '../../protocol/message';

export type { ToolOutput };

/** The model gets strings as they are, and other values as JSON. `undefined` becomes null. The JSON has no keys without a value. */
export function toToolOutput(
  tool: string,
  value: unknown,
  maxBytes: number = limits.toolResultShown,
): ToolOutput {
  const output = value === undefined ? null : value;
  const violation = checkStringifiable(output);
  if (violation !== undefined) {
    const where = violation.path === '' ? 'its result' : `its result at ${violation.path}`;
    return errorOutput(`The tool '${tool}' ran, but ${where} is not JSON: ${violation.problem}.`);
  }
  const bound = Math.min(maxBytes, limits.toolResultStored);
  if (typeof output === 'string')
    return { isError: false, content: [{ type: 'text', text: cut(output, bound) }] };
  const text = textOf(output);
  if (text === undefined)
    return errorOutput(`The tool '${tool}' ran, but its result is too long to be written as JSON.`);
  if (utf8Length(text) <= bound)
    return { isError: false, content: [{ type: 'json', value: JSON.parse(text) as Json }] };
  return { isError: false, content: [{ type: 'text', text: cut(text, bound) }] };
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
function cut(text: string, maxBytes: number): string {
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return text;
  const head = headOf(text, maxBytes - cutNote(bytes, bytes).length);
  return head + cutNote(utf8Length(head), bytes);
}
