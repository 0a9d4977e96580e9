import type { Json } from '../../base/json';
import type {
  AssistantPart,
  MediaPart,
  Message,
  ToolCallPart,
  ToolContent,
  ToolResult,
  Usage,
} from '../../protocol/message';
import { printable, printableLine } from './printable';

/** `get_weather {"city":"Paris"}` */
export function callLine({ name, args, rawArgs }: ToolCallPart): string {
  return printableLine(`${name} ${args === null ? (rawArgs ?? '') : compactJson(args)}`);
}

export function resultLine(result: ToolResult): string {
  return printableLine(`${result.name} ${result.content.map(compactContent).join(' ')}`);
}

/** A result in full: texts as they are, JSON indented. */
export function resultText({ content }: ToolResult): string {
  const texts = content.map((part) =>
    part.type === 'json' ? JSON.stringify(part.value, null, 2) : compactContent(part),
  );
  return printable(texts.join('\n'));
}

/** What a message says, without calls, results and reasoning. */
export function messageText(parts: Message['parts'] | readonly AssistantPart[]): string {
  return printable(parts.map(partText).filter(Boolean).join('\n'));
}

/** `15 tokens`, or nothing when the provider reported none. */
export function tokens({ totalTokens, inputTokens, outputTokens }: Usage): string | undefined {
  const count =
    totalTokens ??
    (inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens);
  return count === null ? undefined : `${count} tokens`;
}

/** The parts of a line, those that there are. */
export function joinParts(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function partText(part: Message['parts'][number]): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'media':
      return mediaLabel(part);
    case 'reasoning':
    case 'opaque':
    case 'tool_call':
    case 'tool_result':
      return '';
  }
}

function compactContent(content: ToolContent): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'json':
      return compactJson(content.value);
    case 'media':
      return mediaLabel(content);
  }
}

function mediaLabel({ mediaType, source }: Pick<MediaPart, 'mediaType' | 'source'>): string {
  return source.kind === 'url' ? `[${mediaType} ${source.url}]` : `[${mediaType}]`;
}

function compactJson(value: Json): string {
  return JSON.stringify(value);
}
