import { isJsonObject, type JsonObject } from '../base/json';

const deepest = 200;

/** Arguments as a tool call part carries them: an object, or null with the model's own text and what is wrong with it. */
export type ToolArguments =
  | { readonly args: JsonObject }
  | { readonly args: null; readonly rawArgs: string; readonly argsError: string };

/** Never throws: bad arguments are an answer the model gets to see. Models send nothing at all for tools without parameters. */
export function parseToolArguments(text: string | null | undefined): ToolArguments {
  if (text === null || text === undefined || text.trim() === '') return { args: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { args: null, rawArgs: text, argsError: `not valid JSON: ${(error as Error).message}` };
  }
  return checked(value, () => text);
}

/** For APIs, and compatible servers, whose arguments arrive as a value instead of a text. */
export function checkToolArguments(value: unknown): ToolArguments {
  if (typeof value === 'string' || value === null || value === undefined)
    return parseToolArguments(value);
  return checked(value, () => safeText(value));
}

function checked(value: unknown, text: () => string): ToolArguments {
  if (!isJsonObject(value)) {
    const found = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
    return { args: null, rawArgs: text(), argsError: `must be a JSON object, not ${found}` };
  }
  if (isDeeperThan(value, deepest)) {
    return { args: null, rawArgs: text(), argsError: `nested deeper than ${deepest} levels` };
  }
  return { args: value };
}

/** Without recursion: what it looks for would overflow the stack, as `JSON.stringify` would later. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return false;
}

function safeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return '[arguments that cannot be written as JSON]';
  }
}
