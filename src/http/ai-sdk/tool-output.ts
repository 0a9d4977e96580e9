import type { Json } from '../../base';
import type { ToolResult } from '../../protocol';

/** A result as the client's tool part has it: the value of a single JSON or text, else all parts. */
export function outputOf({ content }: Pick<ToolResult, 'content'>): Json {
  const [first, ...others] = content;
  if (first === undefined) return null;
  if (others.length === 0 && first.type === 'json') return first.value;
  if (others.length === 0 && first.type === 'text') return first.text;
  return content as unknown as Json;
}

export function errorText(result: Pick<ToolResult, 'content'>): string {
  const output = outputOf(result);
  return typeof output === 'string' ? output : JSON.stringify(output);
}
