import type { ToolContent, ToolResult } from '../protocol/message';

/** A tool's answer as one text: strings as they are, everything else as JSON. For an API without an error flag, errors say so. */
export function toolResultText(
  result: ToolResult,
  options: { readonly errorFlag: boolean },
): string {
  const text = result.content.map(toolContentText).join('\n');
  return result.isError && !options.errorFlag ? `Error: ${text}` : text;
}

export function toolContentText(content: ToolContent): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'json':
      return JSON.stringify(content.value);
    case 'media':
      return `[${content.mediaType}]`;
  }
}
