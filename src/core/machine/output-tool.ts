import type { JsonObject } from '../../base/json';
import { isJsonObject } from '../../base/json';
import type { ToolCallPart } from '../../protocol/message';
import type { OutputOptions } from './options';

/** What an output turned out to be. `malformed`: not even a JSON object, so it cannot be taken as it is. */
export type OutputVerdict =
  | { readonly kind: 'valid'; readonly value: JsonObject }
  | { readonly kind: 'violation'; readonly problem: string; readonly value: JsonObject }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Top-level required fields are checked here; `violation` is what the worker's check of the whole schema found. */
export function judgeOutputCall(
  output: OutputOptions,
  call: ToolCallPart,
  violation: string | undefined,
): OutputVerdict {
  if (call.args === null) {
    const problem = call.argsError ?? 'the arguments are not a JSON object';
    return { kind: 'malformed', problem };
  }
  return judgeValue(output, call.args, violation);
}

/** A text that parses to an object with the required fields is an output, too. */
export function judgeOutputText(
  output: OutputOptions,
  text: string,
  violation: string | undefined,
): OutputVerdict {
  const value = parseObject(text);
  if (!value) return { kind: 'malformed', problem: 'the text is not a JSON object' };
  return judgeValue(output, value, violation);
}

export const outputCallFeedback = (tool: string, problem: string): string =>
  `The output was not accepted: ${problem}. Call ${tool} again with corrected arguments.`;

export const outputTextFeedback = (tool: string, problem: string): string =>
  `The answer was not accepted as the output: ${problem}. Call ${tool} with the final output.`;

function judgeValue(
  output: OutputOptions,
  value: JsonObject,
  violation: string | undefined,
): OutputVerdict {
  const missing = requiredFields(output).filter((field) => !Object.hasOwn(value, field));
  if (missing.length > 0) {
    const problem = `missing required ${missing.length === 1 ? 'field' : 'fields'}: ${missing.join(', ')}`;
    return { kind: 'violation', problem, value };
  }
  if (violation !== undefined) return { kind: 'violation', problem: violation, value };
  return { kind: 'valid', value };
}

function requiredFields(output: OutputOptions): string[] {
  const required = output.schema?.['required'];
  if (!Array.isArray(required)) return [];
  return required.filter((field) => typeof field === 'string');
}

function parseObject(text: string): JsonObject | undefined {
  const trimmed = text.trim();
  const fenced = /^```[a-zA-Z]*\s*\n([\s\S]*)\n\s*```$/.exec(trimmed);
  try {
    const value: unknown = JSON.parse(fenced?.[1] ?? trimmed);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
