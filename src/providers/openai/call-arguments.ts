import type { Json, JsonObject } from '../../base/json';
import type { ToolCallPart } from '../../protocol/message';
import type { ToolArguments } from '../tool-arguments';

/**
 * OpenAI's arguments are a text, ours a value. What the text has beyond the value: nothing when it is compact JSON, a flag
 * when it is spaced as Python prints it, which most local models do, else all of it.
 */
export function argumentsSeal(text: string, parsed: ToolArguments): JsonObject {
  if (parsed.args === null || text === JSON.stringify(parsed.args)) return {};
  return text === spacedJson(parsed.args) ? { spaced: true } : { arguments: text };
}

/** The text the model wrote, as long as nobody changed the arguments since. */
export function writtenArguments(part: ToolCallPart, sealed: JsonObject): string {
  if (part.args === null) return part.rawArgs ?? '';
  const compact = JSON.stringify(part.args);
  if (sealed['spaced'] === true) return spacedJson(part.args);
  const kept = sealed['arguments'];
  return typeof kept === 'string' && saysTheSame(kept, compact) ? kept : compact;
}

function saysTheSame(text: string, compact: string): boolean {
  try {
    return JSON.stringify(text.trim() === '' ? {} : JSON.parse(text)) === compact;
  } catch {
    return false;
  }
}

function spacedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member)}`,
  );
  return `{${members.join(', ')}}`;
}
